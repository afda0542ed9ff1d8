// The first 2,000 merges of the shipped translator's vocabulary, in the order in which
// they were learned (lib/shipped/tatoeba-en-es), and the characters that it knows.

export const CHARACTERS =
  "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghij" +
  "klmnopqrstuvwxyz{|}~¡£¥§¨ª«°²³·º»¼½¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæç" +
  "èéêëìíîïðñòóôõö÷øùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĳ" +
  "ĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņŇňŉŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ" +
  "ƠơƯưȘșȚțсẞ\u200b—‘₂€▁";

export const MERGES = `
▁ t|▁ a|e r|e s|e n|▁ d|▁ s|▁ c|o m|▁ h|▁ m|▁ l|a r|▁ T|i n|▁ p|o n|a n|a s|o u|o r|▁ w
▁t h|i s|o s|▁ I|▁T om|r e|▁ n|q u|▁ b|▁ es|▁t o|▁ f|e l|e d|▁ qu|▁ y|a t|▁d e|a d|u n
i t|▁th e|▁y ou|in g|▁ g|l l|▁qu e|▁ E|i d|▁ v|▁h a|en t|▁ o|▁n o|▁ un|▁ M|t a|l e|i c
▁ en|h e|▁l a|u s|v e|▁ ¿|r o|▁ in|▁ is|a l|' t|▁ el|▁m e|▁ H|i m|▁es t|▁ S|▁s e|a m|▁ N
d o|▁ e|c h|i r|▁ W|a y|▁c on|t o|i en|e t|▁a n|í a|r a|▁d o|▁o f|▁a l|er e|▁l o|an t
c i|i g|▁ re|o l|▁N o|▁M ar|▁E s|▁b e|▁ L|▁c om|▁s u|' s|▁Mar y|ad o|▁ A|o w|▁ D|l d
▁T he|▁ r|▁H e|▁ Y|t e|▁l i|a b|k e|▁w as|v er|e m|▁l e|i er|▁g o|▁m u|▁p ar|▁h e|h at
▁f or|▁I '|ó n|▁ on|á s|o d|t h|▁th at|e c|▁ P|▁ C|n 't|t er|▁un a|▁ k|▁ha ve|▁ it|g o
i ll|ent e|▁p u|on 't|▁Y ou|▁p or|▁ j|c e|▁n e|▁est á|u r|▁d i|▁a s|▁w ant|b a|▁ É|u e
t r|▁c an|an do|h t|▁É l|ou ld|u d|o k|▁v er|o c|▁p er|▁m y|▁f r|Q u|▁t r|▁ha b|o y|ou t
it h|▁c u|us t|es t|i l|▁k n|▁T h|▁E ll|▁w ith|▁h is|▁l os|▁a t|▁you r|▁a b|a ll|▁l as
▁s t|▁S he|▁es ta|l a|s e|id o|▁th is|i on|▁no t|▁I t|▁m i|i ó|▁w h|c u|▁kn ow|▁W e|▁t e
on e|▁par a|▁a re|▁E l|▁p r|▁h er|▁p ro|d e|▁an d|▁I' m|u t|a p|l o|▁h as|om e|▁e x|▁W h
▁d id|▁s h|i o|▁t en|c er|ad a|g u|a v|j o|▁d on't|▁li ke|▁c ar|▁Ell a|▁m ás|▁h im|p r
▁c h|en d|▁c as|▁a m|p e|▁d es|▁mu ch|▁M e|u p|i e|er a|▁s o|l y|ig ht|an d|▁pu ed|el l
a c|▁w e|▁t ra|i v|b le|i a|p p|é s|in k|▁t u|▁a c|▁t ien|▁s i|u l|▁L a|▁p re|▁t i|os t
em p|▁ us|i f|▁w or|c a|▁W hat|▁m a|▁p l|i z|an a|▁qu é|▁a ll|im e|er o|▁p as|s t|▁ B
ci ón|▁w hat|am e|or e|▁to d|b er|▁m an|▁D o|▁a r|▁ F|▁d el|b re|i ve|am os|' re|▁an y
m o|ou g|▁ha cer|th er|as e|▁t ime|▁mu y|a k|ic e|▁b o|▁b u|▁th ink|ec es|on g|▁w ill
▁ver y|▁ é|á n|▁ J|▁Th is|or t|▁m is|▁h ad|g un|ier o|▁ up|g e|▁do es|d er|at e|is h
▁g et|or a|▁The y|▁s ab|▁ ro|e z|u m|th ing|▁ out|▁r es|▁é l|is t|r i|g a|▁ab out|▁s ol
ver y|▁c o|p le|▁ im|Qu é|▁s er|▁h ere|ien do|es s|▁tien e|▁a qu|av or|ar d|▁f avor
▁Es to|ou n|en s|▁de c|ch o|▁did n't|▁s a|▁ ir|u g|p er|í as|▁cas a|m e|▁c l|▁s on|▁ ent
▁ V|ant e|id e|▁g r|▁l le|em os|▁c am|o t|▁tra ba|▁f ue|in d|▁fr om|▁esta ba|a ve|at h
▁aqu í|▁a y|c o|▁can 't|▁t an|id a|▁M y|▁It 's|▁Y o|▁ne ed|▁com o|c t|▁h el|é n|al k
v en|▁hab l|▁p e|ñ o|▁g us|▁s al|m ente|os o|▁ Qu|ent o|▁lo ok|b r|ay s|▁T en|a ke
▁w ere|p a|▁does n't|ic a|emp o|▁T hat|v o|ic o|▁E n|r y|ou r|e p|▁es o|▁gus ta|▁se e
▁go ing|▁ha pp|all y|oug ht|▁ O|m a|▁on e|▁ti empo|ñ os|▁al go|▁wor k|p ar|C u|om et
▁l l|▁b y|r en|id ad|▁p a|an o|▁ or|ig o|▁go od|c on|i ón|▁D e|▁Th ere|▁m ad|▁t om|▁a d
m as|▁con t|▁M i|▁m o|▁pro ble|▁Esto y|▁w ould|▁th ere|▁hel p|▁e very|re e|▁d r|e ar
▁f u|le ase|▁v is|▁ G|▁ U|u ed|i én|▁H ow|eces it|▁sh ould|▁im p|▁d is|m os|w n|f er
▁c ould|▁n i|▁com e|▁Es ta|▁be en|▁a f|▁Es t|▁I' ll|▁b us|r es|▁est e|ien d|▁D on't|▁c a
▁ay ud|ost on|▁B oston|▁b ien|▁b ut|▁s he|▁th an|▁v ez|▁s ome|▁per s|in e|▁p od|▁bu en
as t|h ing|d ay|▁d in|▁n ada|a ch|ab le|ier a|p u|▁to do|▁f e|qu e|ath er|▁e at|ú n|i es
ab a|▁s pe|ci a|▁much o|it e|▁e m|at ion|▁m ore|▁es c|▁bo ok|▁j ust|j ar|▁h ome|ci on
▁L os|ou s|ac k|▁c re|▁pers on|j a|f e|▁s omet|▁go t|▁as k|▁las t|▁pued o|▁S e|in a
▁to o|ar on|▁a h|▁ ra|ec t|▁C an|▁ era|▁s us|ad os|oun d|▁L o|P or|u c|▁g u|▁com pr
▁ne ver|▁t alk|▁qu ed|ón de|▁m ar|un ca|▁U n|an c|▁no w|▁wh en|▁j o|or m|ñ ana|▁pl ay
t y|os e|ar a|am ente|▁t ar|▁ ¡|ro w|▁L e|one y|▁t ell|is te|u el|▁p ad|▁Wh y|▁I' ve
s el|in t|▁di f|▁spe ak|i ld|▁est ar|▁est o|ó mo|▁pre gun|▁S i|▁d ay|▁somet hing|▁o p
▁in ter|▁el la|▁pl an|▁d os|es e|g ar|▁ if|▁Ten go|▁traba jo|d ad|▁ex p|▁cu ando|▁qu er
▁fr iend|▁pued e|▁f in|▁qu iero|▁t w|▁m oney|▁p oc|o ple|▁f o|▁y ear|g l|▁din ero
▁habl ar|▁m en|▁re ad|re d|Cu án|▁Qu iero|it a|▁c or|▁ R|▁c all|▁di jo|▁t el|▁y o|ic k
n ing|▁p o|▁wh o|▁of f|' ll|▁ma ñana|it t|j or|▁s ent|et ter|▁b ack|om bre|▁st ud|▁w at
▁I s|▁l ong|▁ne w|in o|c he|z a|▁Tom ás|▁T od|ec e|▁g ust|ic i|▁You 're|▁ten go|ar ía
▁per o|b ro|▁s p|▁n ue|▁in t|tr os|an g|ou se|▁p el|▁t er|▁h ow|▁P lease|j e|▁T e|▁L et
▁ha y|▁v a|i ado|t es|t ra|▁J ap|▁s ay|▁c er|▁es cu|emp re|i ere|▁t ake|▁p ol|▁est oy
▁lo t|ar é|▁A re|sel f|▁pe ople|▁o ld|▁b a|▁me jor|v es|▁a p|oc he|▁ "|▁d ía|▁s ta
▁hab er|▁ ide|ic h|▁h ouse|▁un der|ur n|▁re ally|ci l|▁sa id|p t|▁w ent|▁Ell os|▁com p
▁P or|b l|▁w r|▁to ld|▁v ol|ar t|▁ er|▁in v|▁est ud|▁m ust|▁li bro|▁ac c|▁de ber|▁s in
▁m on|▁her m|▁tod os|▁s m|ul t|▁Es te|re o|con tr|od y|▁th ought|▁b ro|▁any thing|gu a
▁ro om|▁poc o|▁m í|▁h i|▁m at|u est|cho ol|▁f am|▁b el|▁c os|ad ie|▁happ en|▁dec ir
oug h|u to|er s|ren ch|ga in|▁m al|ar me|▁v iv|▁F rench|▁es per|▁f el|w ays|▁a gain
▁m ay|al mente|▁fr anc|▁está n|▁de mas|▁a ños|▁con s|ier es|as s|o h|▁n ecesit|▁al ways
▁qu iere|▁s chool|im os|ier on|ust ed|or row|▁r ight|▁ ke|▁mad e|u re|▁ch ild|a it|▁n os
v a|▁m in|b ody|v is|▁Tom 's|▁on ly|b e|▁b r|▁S u|▁ver dad|▁s to|▁is n't|▁ma ke|▁ide a
▁ha ce|▁C reo|el y|▁franc és|▁Mar ía|t en|▁Wh en|iz o|▁c ol|▁ll am|j os|it o|▁estud i
▁J oh|▁Joh n|g r|▁do g|▁tar de|ent s|us e|▁pad re|▁tod ay|▁sab e|pr end|▁tw o
▁demas iado|c k|▁c r|▁th ing|▁Wh ere|▁en contr|▁A l|f t|i ble|▁m ed|ar n|▁sol o|ent a
▁f ather|▁ ing|▁hab ía|k es|▁Wh o|P ued|▁man y|▁f l|▁o ver|' ve|i le|as te|▁ our|▁gr an
▁af ter|or es|▁I f|▁v en|im a|▁n ight|▁C h|i ed|▁h izo|▁m or|▁lo ve|▁ usted|at o|y ing
▁th ree|▁want ed|▁so bre|▁an tes|ar te|ig n|á l|▁tr es|▁That 's|▁fe el|v ed|r ía|▁v e
▁fam il|▁h o|▁w ell|▁al gun|▁st ill|j er|▁w ait|▁ah ora|▁se gu|s o|▁l un|it y|▁o ther
f ore|d a|l t|▁a w|▁the y|p o|▁ask ed|▁vis it|▁p ens|▁com er|▁no che|▁b l|▁be fore|ig u
▁D id|▁En gl|▁re m|n o|í o|▁s é|▁h ora|▁re g|▁Let 's|▁tom orrow|ol o|▁d ur|ien es|an ce
▁Es o|▁quer ía|▁n unca|m er|▁le ft|▁pro f|▁si empre|▁imp ort|es ter|▁jo b|▁w ay|▁H ay
m in|▁I' d|▁ar r|▁pr es|▁f ir|ri ed|▁se m|▁do wn|▁sta y|ar á|ie ve|er te|es a|oso tros
itt le|e k|el a|▁s w|ar se|▁the m|▁wh ere|▁l ittle|▁I n|▁in to|b o|▁sa w|ug ar|▁a uto
▁c al|▁proble m|j ó|▁res p|ester day|c ar|▁est ás|st and|▁ha c|▁ten ía|ic t|▁Engl ish
í s|▁h ombre|is e|▁f a|▁c i|os s|▁pregun t|▁year s|▁ing l|▁per ro|▁li ve|ar io|▁b oy
▁P ar|▁g ir|▁v ida|▁est ado|av ía|C ómo|x t|▁He 's|▁te ach|i re|▁es e|r ió|ñ a|le ep
c re|z o|er ta|t os|g et|▁per d|▁h and|▁Jap an|an as|▁b etter|▁b re|▁we ek|▁ingl és
▁f un|▁P ued|▁o cu|D ónde|ien e|ct or|▁d ías|on d|▁am ig|▁al m|gu ien|▁es p|▁bu y
▁acc id|▁c ame|▁h or|▁se em|Qu ién|▁under stand|▁h ot|▁nue vo|an s|▁g ive|▁y esterday
E st|▁c at|▁has ta|▁wat ch|g er|▁N ecesit|en a|▁happ y|▁gir l|▁E very|▁con d|r as|▁L as
▁dec id|el o|▁e ar|▁h oy|f r|▁s or|▁We 're|▁want s|e w|▁f ind|▁c ab|▁H ave|▁car e|at ed
▁le ave|▁c oche|an k|▁g ente|▁con f|▁w on't|ent es|t or|▁w in|▁no thing|▁mo ther|N o
▁es a|▁he cho|▁it 's|▁to ok|▁Tod os|cu er|▁could n't|▁mis mo|▁in s|▁proble ma|▁ra in
f ul|T e|g ó|▁tel e|ar y|▁friend s|l es|▁lle v|▁h ard|▁a pp|a z|i os|▁m om|▁ne xt
▁fir st|u b|▁st art|v id|▁y a|c ur|ita ción|▁pu t|or d|▁do or|ri b|▁s tr|▁w alk|▁me et
i p|▁l et|E s|▁C u|▁li br|▁gust aría|▁mad re|f ic|▁n uest|Cu ál|cion es|▁ K|▁S oy|▁sh o
t ing|▁sem ana|▁s it|▁dr ink|t ro|▁d ar|▁c ap|▁S é|▁P ens|un do|▁b ought|▁t ú|▁g re
▁pr im|▁so on|▁ter min|▁no v|▁H is|▁mor ning|▁li fe|▁par ece|l os|en cia|▁qu ieres
em ber|▁C om|▁There 's|▁l ar|ci ó|▁Y a|w er|es ta|re ad|▁en c|▁us ed|▁t urn|▁p i|▁o tra
▁p es|▁hab itación|▁every thing|▁p lease|▁re al|▁pu erta|▁t em|v ing|▁d a|▁e qu|▁as í
▁min ut|▁e ver|b ol|▁par t|▁m ir|os a|▁do ing|▁re c|▁What 's|▁pas ado|i ar|on to
▁bel ieve|▁child ren|▁v i|▁N unca|▁con oc|▁los t|pu és|é is|est ion|i ver|▁sab er
▁De ber|▁escu ela|▁ ed|▁aw ay|▁T o|n e|▁l ate|▁n adie|it ar|▁o b|▁ ú|▁s leep|or ta|á p
▁d ónde|▁b ed|▁sh ow|▁qu ién|▁an s|▁rem ember|▁d orm|▁g ave|▁m undo|▁cos as|ú s|▁do ctor
▁prof es|▁amig os|▁be g|▁t a|en ce|oc k|▁p al|▁su re|▁bro ther|▁happen ed|a ut|▁b ar
ad or|▁su r|t u|▁o l|ill a|if e|▁tien es|▁ni ños|í cil|▁a prend|▁h ur|ud ad|▁T u|▁v as
▁dif ícil|▁Pens é|▁the ir|▁le arn|▁ci udad|ch a|i an|al es|▁fel iz|▁c ómo|▁o í|▁n ame
▁v oy|í an|▁b ad|▁su f|▁g l|▁me t|▁est u|ci o|es to|us o|▁wh y|▁l ist|on der|us tr|a g
▁h our|▁de b|Cuán do|at os|▁you 're|▁v eces|▁al read|▁pued es|▁alread y|▁b ig|it al
▁v uel|▁be aut|▁op en|id os|▁he ar|▁hacer lo|. "|g ry|▁ocu p|▁p h|m ent|▁qu estion
▁all í|un to|▁fu era|▁s oy|or k|▁de jar|▁ent r|▁tele vis|▁al one|▁c oun|im es|▁men os
u er|▁a ño|▁fin ish|▁b or|▁en ough|ant es|▁int ent|▁you n|▁e ven|▁mu jer|▁t us|▁in f
g as|▁c he|▁mar ried|p l|▁C on|▁Necesit o|▁p la|▁ayud a|▁teach er|▁ú lt|▁b est|▁in c
▁di o|is ta|▁f ound|▁wat er|á r|▁pol ic|é r|▁o tro|▁ni ño|▁bus y|t il|an ge|▁cam b|d en
▁S olo|▁he ard|▁compr ar|▁a gua|▁h un|u ro|▁p ien|is ter|▁un o|ort un|▁a cer|at er
▁tra in|if ul|l ar|▁know s|▁was n't|i b|▁us e|▁beaut iful|r á|t as|▁of ten|ig h|pe z
▁ans wer|ar s|et e|▁tr at|▁am igo|▁A s|▁sab ía|▁deber ía|le g|▁Mary 's|▁V oy|▁li kes
▁look ing|▁segu ro|▁vis to|c ed|▁s ame|▁se cre|▁re p|▁ay er|▁buen a|▁esc rib|▁wr ong
▁c le|ce pt|▁Est á|▁ca f|an y|▁se a|▁N os|m igo|▁v ac|▁tr en|▁look s|▁ke ep|▁con migo
▁par ty|▁l etter|▁pr onto|▁d one|▁con se|▁com ida|▁esta b|ó lo|▁r áp|▁le v|y er|u ra|y o
▁n osotros|▁des pués|▁p ed|cuer do|m ed|u do|▁with out|í cu|▁k ind|▁col d|o z|▁p ap|re c
▁A n|▁ab le|ta mente|end er|▁des de|▁a g|▁se en|▁e as|▁W ould|ci as|os p|▁Es p|▁fo od
▁er r|▁s ing|▁escu ch|▁r un|▁person a|▁may or|i ento|í amos|▁t ak|▁w ish|▁n ing|▁b ic
▁vol ver|f fe|▁S ome|▁A h|▁You r|▁thing s|▁t re|om br|▁kn ew|▁his tor|▁pro p|▁person as
Pued o|ta in|▁sw im|▁n ombre|▁f ies|▁be ca|▁A ustr|n er|er to|▁N adie|▁be b|▁pr om
▁sto p|ffe e|▁fies ta|▁beca use|an ta|▁en fer|▁mo v|▁herm ano|▁caf é|▁v ino|▁E res
▁ten er|i ous|▁h ic|u th|iv ed|▁lle gar|▁ayud ar|' d|▁f á|▁al guien|iv o|▁mis ta|▁ah í
uc k|u z|▁ z|▁M ay|▁Austr al|i ent|o ther|▁m es|▁co ffee|d s|▁s ister|▁H ab|im o|am b
▁ti red|▁bre ak|▁suf ici|▁d ice|▁v ie|▁o wn|▁cont igo|▁algun a|a ción|▁be c|▁k ill
▁inter est|▁hot el|▁em pez|▁ho pe|m it|▁be ing|▁mis s|▁hac iendo|▁tr ue|▁Austral ia
▁s at|▁p os|▁p ay|▁cas i|▁ar ound|▁profes or|D e|▁ ún|▁H a|▁M on|▁le er|▁can s|▁a go
on es|ok ing|▁car ta|pp ed|▁s n|▁h osp|▁l ugar|▁book s|▁mon th|h er|▁com ple|▁Jap ón|M e
z ón|▁ent re|in ar|is ed|▁pre t|▁sal ir|▁dur ante|▁libr os|on de|or y|al o|▁A ll|tr as
c le|on o|ill o|▁Ten emos|▁dif fic|▁ol vid|▁a par|▁c oc|▁To do|▁d ays|▁m il|oc up
▁hab la|▁f ar|▁cl ase|▁Ah ora|▁b ir|▁des p|ug h|c es|▁c ant|ier to|▁wh ile|▁w onder
it ed|▁pas s|▁hosp ital|m an|▁l es|▁y et|▁pe que|▁g an|▁pod ía|▁s k|▁w om|▁di ed|▁tod a
▁cam a|▁g ol|▁cu l|▁tod as|▁pal ab|▁ id|▁an im|▁pro b|▁much os|▁tan to|á m|▁p id|▁on ce
▁youn g|g ado|j as|▁l an|on s|▁n ad|▁F r|▁th ese|ir t|▁They 're|Cuán to|▁m ind|▁coun tr
▁acer ca|▁d ic|▁c ost|▁ex tra|▁gran de|▁mom ento|i as|▁cl ass|▁De b|g ún|▁pre par|▁T ok
▁Es e|▁di ez|▁stud y|i ente|▁tr y|▁v ia|▁Cu ando|▁T ú|at es|▁H oy|▁por que|la in|▁ex am
▁pad res|▁R e|er ía|▁el los|▁j un|▁j ue|▁cu enta|pa ñ|▁exp l|en er|▁T ienes|▁an other
▁bo t|P od|ic os|▁e y|▁tr uth|▁proble mas|▁cer ca|▁lun es|▁alm ost|▁seem s|▁ráp ido
▁fá cil|c as|er v|▁D es|▁par ents|▁per f|▁cu án|f ono|▁T V|▁A mer|ac t|▁buen o|en 't
▁c in|▁h ar|▁pre ocup|▁wor ld|▁pla ce|▁a gr|an os|▁en se|▁us u|▁cre o|▁talk ing|▁tel é
▁list en|e ver|▁su b|▁get ting|▁look ed|▁lun ch|is a|▁g ra|▁r u|▁tod avía|▁gr and
▁gre at|is s|▁v ent|▁tr ied|▁herm ana|▁diffic ult|▁s ido|▁p at|▁er es|▁Mon day|y s|ed o
▁pas ó|▁F ue|▁inter es|▁telé fono|▁pregun ta|▁famil y|s a|▁d ist|qu ier|ra id|▁ro b
▁gust an|▁viv ir|im p|▁re almente|▁pod ría|▁mat ter|Est ás|g ed|ar e|▁de j|▁ad v
▁af raid|▁hi jo|▁encontr ar|amb ién|v ió|▁hor as|ver t|ier as|ec to|if ic|get her
▁Deber ías|í n|▁jo ven|p ort|▁v ay|▁pu do|▁ab s|▁hur t|▁Esta ba|▁polic ía|▁f i|▁famil ia
T ienes|▁a cuerdo|▁m us|▁p ict|▁to gether|▁el se|▁fu er|▁ear ly|▁t on|▁d re|▁un til
▁re un|▁ os|do w|▁j ug|▁lev ant|▁c ada|▁w ife|▁re t|▁ab r|c l|▁re d|▁any one|▁lan gua
▁m ine|▁Esta mos|▁ven ir|S ab|ad as|▁much as|▁traba jar|▁f ish|▁pel ícu|▁n at|le ta
▁e ach|ci al|▁fe w|▁histor ia|▁p uso|▁b ol|▁b ast|▁tu vo|ang er|▁cos a|g ra|▁traba j
▁win dow|▁an gry|▁com ing|▁pa ís|▁Esp ero|g g|▁de jó|un d|▁v ive|ic ina|ent ro|▁Es a
▁ex per|▁m ent|▁par ec|▁She 's|▁countr y|▁ha ven|▁F u|▁meet ing|▁haven 't|r os|▁l la
▁p on|▁v end|▁him self|▁Do es|ar lo|id er|▁man o|▁su e|Qu ieres|▁favor ite|▁pres ent
▁f al|▁f um|▁p ie|▁re f|▁your self|▁Si empre|▁plan e|▁hour s|▁dre am|▁a v|▁h um|▁e v
▁si ento|ug ht|▁televis ión|▁w ar|▁P er|▁j ugar|▁tom ar|▁would n't|▁ocup ado|▁estab an
▁s ays|▁r om|▁mu rió|▁sm all|▁accid ent|▁sur pr|d ico|ent ras|▁C ome|▁new s|▁accid ente
▁pi ano|? "|▁d onde|▁cu al|▁cond uc|▁en d|▁nuest ro|▁cin co|▁t able|▁m ight|▁res ta
▁din ner|▁exp ect|Pued es|▁a ir|an co|ic as|▁le y|▁men udo|▁tem pr|▁aprend er|ou ble
▁b ab|▁cu m|▁resta ur|▁s ign|▁S h|▁ph one|▁bast ante|▁m esa|▁l lo|▁g ato|▁li ves|▁ne ar
iz e
`
  .trim()
  .split(/[|\n]/)
  .map((line) => /** @type {[string, string]} */ (line.split(" ")));
