"""The nouns of the grammar, and what each of them is.

A noun's kinds say what it is. A verb, an adjective or a place asks for a kind, so
that nobody eats a house. The Spanish is that of Spain: coche, patata, zumo.
"""

from __future__ import annotations

from lib.corpora.grammar.words import Noun, kinds

# English, Spanish, gender, kinds.
_NOUNS = """
man, hombre, m, person common
woman, mujer, f, person common
boy, niño, m, person common
girl, niña, f, person common
waiter, camarero, m, person common
waitress, camarera, f, person common
king, rey, m, person great
queen, reina, f, person great
actor, actor, m, person great
actress, actriz, f, person great
mother, madre, f, kin single
father, padre, m, kin single
brother, hermano, m, kin relative
sister, hermana, f, kin relative
son, hijo, m, kin relative
daughter, hija, f, kin relative
uncle, tío, m, kin relative
aunt, tía, f, kin relative
grandmother, abuela, f, kin single
grandfather, abuelo, m, kin single
dog, perro, m, animal pet washed
cat, gato, m, animal pet
horse, caballo, m, animal pet washed
bird, pájaro, m, animal
mouse, ratón, m, animal
wolf, lobo, m, animal
cow, vaca, f, animal
eagle, águila, f, animal stressed
apple, manzana, f, food bought counted washed unowned
orange, naranja, f, food bought counted unowned
egg, huevo, m, food bought counted unowned
banana, plátano, m, food bought counted unowned
potato, patata, f, food bought counted washed unowned
tomato, tomate, m, food bought counted washed unowned
strawberry, fresa, f, food bought counted washed tasty unowned
cake, pastel, m, food bought dish counted gift tasty
sandwich, bocadillo, m, food bought dish counted tasty
bread, pan, m, food bought dish mass tasty
cheese, queso, m, food bought mass tasty
meat, carne, f, food bought mass tasty unowned
fish, pescado, m, food bought mass tasty unowned
rice, arroz, m, food bought mass tasty
soup, sopa, f, food dish mass warm tasty
salad, ensalada, f, food dish counted tasty
water, agua, f, drink bought mass stressed warm
milk, leche, f, drink bought mass warm unowned
coffee, café, m, drink bought dish mass warm
tea, té, m, drink bought dish mass warm
juice, zumo, m, drink bought mass
wine, vino, m, drink bought mass
book, libro, m, text thing small opened closed bought written gift read great
letter, carta, f, text small written read sent
newspaper, periódico, m, text small bought read
magazine, revista, f, text thing small bought read
poem, poema, m, text written read great
novel, novela, f, text thing small bought written read gift great
message, mensaje, m, text written read sent
story, cuento, m, text written read told
shirt, camisa, f, clothes thing small bought gift washed worn
skirt, falda, f, clothes thing small bought washed worn
dress, vestido, m, clothes thing small bought gift washed worn
coat, abrigo, m, clothes thing small bought washed worn
hat, sombrero, m, clothes thing small bought gift worn
shoe, zapato, m, clothes thing small bought
jacket, chaqueta, f, clothes thing small bought gift washed worn
scarf, bufanda, f, clothes thing small bought gift washed worn
key, llave, f, thing small sent
bag, bolsa, f, thing small bought opened closed gift
box, caja, f, thing small opened closed sent
bottle, botella, f, thing small opened closed washed tableware
cup, taza, f, thing small bought washed gift tableware
plate, plato, m, thing small bought washed tableware
knife, cuchillo, m, thing small bought washed tableware
watch, reloj, m, thing small bought gift
umbrella, paraguas, m, thing small bought opened closed
photo, foto, f, thing small sent
map, mapa, m, thing small bought sent
pencil, lápiz, m, thing small bought
ball, balón, m, thing small bought gift
gift, regalo, m, thing small bought opened sent
phone, teléfono, m, thing small bought gift
camera, cámara, f, thing small bought gift
flower, flor, f, thing bought gift
table, mesa, f, thing bought surface
chair, silla, f, thing bought surface
bed, cama, f, thing bought surface
door, puerta, f, part opened closed
window, ventana, f, part opened closed
car, coche, m, thing vehicle bought washed
bus, autobús, m, vehicle awaited
truck, camión, m, thing vehicle bought washed
bicycle, bicicleta, f, thing vehicle bought washed
train, tren, m, vehicle awaited
boat, barco, m, thing vehicle bought
guitar, guitarra, f, thing instrument bought
piano, piano, m, thing instrument bought
violin, violín, m, thing instrument bought
soccer, fútbol, m, sport mass
tennis, tenis, m, sport mass
basketball, baloncesto, m, sport mass
Spanish, español, m, language mass
English, inglés, m, language mass
French, francés, m, language mass
Italian, italiano, m, language mass
German, alemán, m, language mass
music, música, f, art heard mass
art, arte, m, art mass
history, historia, f, art mass
poetry, poesía, f, art mass
song, canción, f, event enjoyed heard written
radio, radio, f, heard single
party, fiesta, f, event enjoyed occasion at
film, película, f, event enjoyed watched great
match, partido, m, event enjoyed watched great
concert, concierto, m, event enjoyed occasion at great
class, clase, f, event enjoyed occasion
exam, examen, m, hard
house, casa, f, building room bought stay home own
kitchen, cocina, f, room eatery own
garden, jardín, m, room outdoor own quiet
bathroom, baño, m, room own
bedroom, dormitorio, m, room stay own
classroom, aula, f, room stressed
park, parque, m, place outdoor quiet
beach, playa, f, place outdoor at quiet
square, plaza, f, place outdoor
street, calle, f, outdoor
school, escuela, f, place building work at
hospital, hospital, m, place building work
restaurant, restaurante, m, place building work eatery
museum, museo, m, place building shop work sight
library, biblioteca, f, place building shop work
market, mercado, m, place work at
store, tienda, f, place building shop work
hotel, hotel, m, place building work stay eatery
office, oficina, f, place work own
bank, banco, m, place building shop work
farm, granja, f, place building work own at
station, estación, f, place building work at
airport, aeropuerto, m, place work at
theater, teatro, m, place building work
church, iglesia, f, place building sight
city, ciudad, f, place sight home
village, pueblo, m, sight home
"""


def _read_nouns() -> tuple[Noun, ...]:
    """Read the table of nouns; each noun is also a kind of its own."""
    rows = (line.split(", ") for line in _NOUNS.strip().splitlines())
    return tuple(
        Noun(en, es, gender, kinds(what) | {en}) for en, es, gender, what in rows
    )


NOUNS = _read_nouns()
