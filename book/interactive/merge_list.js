// The first 2,000 merges of the shipped translator's vocabulary, in the order in which
// they were learned (lib/shipped/tatoeba-en-es), and the characters that it knows.

export const CHARACTERS =
  "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghij" +
  "klmnopqrstuvwxyz{|}~¡£¥§¨ª«°²³·º»¼½¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæç" +
  "èéêëìíîïðñòóôõö÷øùúûüýþÿĀāĂăĄąĆćĈĉĊċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĳ" +
  "ĴĵĶķĸĹĺĻļĽľĿŀŁłŃńŅņŇňŉŊŋŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰűŲųŴŵŶŷŸŹźŻżŽžſ" +
  "ƠơƯưȘșȚțсẞạảỳ\u200b—‘₂€▁\ufffc";

export const MERGES = `
▁ t|▁ a|e r|e s|e n|▁ d|▁ s|▁ c|▁ l|▁ p|a r|i n|▁ m|▁ h|o n|▁ T|a n|a s|o m|h e|o r|o s
o u|▁ w|i s|e l|▁ b|r e|▁ n|▁ f|▁ I|e d|▁ es|q u|▁d e|▁t o|a t|a d|u n|▁T om|▁t he|▁ y
i t|▁ qu|▁ g|a l|▁ E|in g|i d|▁y ou|▁ en|▁ v|▁ o|▁ M|t a|▁l a|▁ un|l e|▁t h|i c|▁ el
▁qu e|t e|▁h a|▁n o|l l|r o|u s|▁ in|v e|▁ ¿|a m|▁ S|t o|▁ is|i en|▁ H|r a|▁m e|▁s e|i m
c h|▁ L|▁a n|a y|i r|▁ e|▁ N|' t|▁c on|e t|▁ W|d o|o l|▁T he|▁a l|i g|▁o f|▁ A|í a|▁es t
▁ D|▁ r|er e|c i|▁d o|▁ "|▁b e|▁ re|▁s u|en t|▁l o|a b|▁c om|▁ C|▁E s|ad o|▁N o|i l|' s
i e|o w|▁ on|u r|k e|▁ P|▁p ar|v er|▁l e|t h|▁l i|an t|i er|▁M ar|▁f or|t er|o d|▁w as
ó n|▁H e|▁ Y|▁g o|▁h e|l d|i ll|á s|▁Mar y|c e|▁un a|▁n e|▁d i|j o|▁E l|▁m u|▁w h|t r
▁p or|▁T h|▁W h|▁l as|▁ k|▁I '|▁ it|▁p u|▁th at|l a|▁est á|it h|▁f r|g o|▁l os|▁ha ve
▁a t|▁c u|m p|u e|h t|r i|es t|▁a s|▁m y|o c|n 't|an d|▁w ith|b a|▁p er|ou t|on 't|o k
▁c an|an do|al l|u d|▁s t|▁an d|▁a b|▁t e|Q u|a p|▁Y ou|i ó|▁ j|a c|u t|e c|▁you r|▁v er
a v|▁par a|▁w ant|en te|▁ B|▁L a|ou ld|u l|▁h is|▁h as|s e|▁t r|▁ É|▁S he|i on|▁c ar
▁m i|▁a re|▁ha b|▁es ta|us t|▁th is|en d|▁h er|id o|on e|▁s h|▁É l|▁p r|▁k n|i o|▁c h
▁s o|▁d es|u p|g u|▁E ll|el l|i a|d e|▁W e|ad a|▁I t|▁ F|▁p ro|▁s a|om e|e m|▁d el|er a
l o|ig ht|c a|er o|▁a c|▁e x|▁no t|▁m ás|▁t ien|▁b o|▁kn ow|u m|▁I' m|a k|▁c as|▁w e|s t
▁t ra|▁li ke|b er|▁p l|▁d id|▁t en|an a|l y|▁M e|p p|▁Ell a|i z|i v|ch o|▁p re|" ,|▁a m
▁p as|or e|▁d on't|am e|b re|▁ J|p r|▁pu ed|a g|▁m an|é s|▁to d|os t|i f|▁a r|p e|▁g r
▁ G|b r|▁t u|ic e|ar d|▁ us|▁w or|▁h im|á n|m o|▁es c|u el|▁ O|th er|am os|▁ ro|c er|o t
in k|as e|at e|ci ón|b le|▁ ¡|▁fr om|▁Wh at|▁sa id|a ke|▁M y|or a|g a|ou g|es s|g un|▁ V
▁r es|on g|▁a ll|u g|▁D o|ie mp|a ñ|, "|▁tien e|▁ up|c k|ou n|c t|on d|▁ R|▁qu é|▁t im
o p|▁ U|or t|▁b u|e z|▁di jo|▁s ol|en s|▁s al|i ve|o y|▁an y|ay s|ver y|▁c l|▁ é|▁m is
▁l le|▁ K|is t|▁ out|▁Th is|av or|▁s on|▁c am|to y|▁f avor|é n|▁M i|▁wh at|▁The y|in d
p er|' re|in a|at h|qu í|▁h ere|▁p e|▁w ill|Qu é|▁mu y|▁tim e|ou r|▁l l|m e|▁ver y|▁g et
r y|▁é l|▁L os|j a|▁c o|c o|is h|▁do es|▁h ad|▁ha cer|▁s he|l ar|id e|▁s ab|an g|a ve
▁th ink|v en|t es|an te|▁s er|▁E n|▁mu ch|a ch|d er|u er|e p|th ing|e ar|k ed|▁tra ba
im p|ñ o|í as|▁ or|id a|ien do|ic o|ier o|m a|v o|qu e|▁ab out|c es|▁cas a|▁de c|▁" ￼
i es|m os|in e|▁a quí|▁com o|j e|▁m o|ar on|▁can 't|▁m ad|▁n i|▁t an|▁ne ed|ñ os
▁did n't|ic a|w n|le ase|▁e very|an o|▁con t|▁f ue|▁w ere|▁lo ok|▁ ir|ac k|as t|c he
▁h el|▁a y|r en|▁U n|▁t om|ic k|▁esta ba|p ar|re e|▁m ar|▁D e|C u|▁a f|▁wor k|er s|▁L e
os o|▁ Qu|▁s i|it a|▁th an|m ente|▁b y|oug ht|. "|▁b ut|i ón|▁It 's|▁T en|▁s us|m as
▁S e|z a|▁H ow|it o|i én|▁g us|▁es te|ou s|om et|id ad|▁Th ere|ig o|s on|▁on e|ath er
u ed|▁s in|▁D on't|▁a d|▁se e|▁go od|r es|▁f e|▁en c|▁th ere|▁Y o|or n|▁c a|▁Es t|▁el la
▁pre gun|ab le|em os|▁does n't|i p|▁t iemp|▁Th at|it e|all y|▁of f|▁ ra|▁v is|i re|al k
▁tiemp o|f f|oun d|▁com p|▁las t|in t|ar a|▁gus ta|at er|▁b us|▁s ome|▁hel p|▁bo ok
ien d|▁go ing|ab a|g e|▁ha pp|il d|▁res p|▁wh en|▁I s|▁al go|▁d is|▁to o|▁Es toy|▁s p
▁b ien|at ion|ci a|ro w|▁com e|▁C an|▁l et|os e|▁p a|▁w ould|▁c ol|er m|▁es o|▁t w|▁ imp
on es|▁Es ta|" .|ad os|▁go t|▁d os|p a|▁be en|▁bu en|▁e at|▁ay ud|es e|▁m ore|▁p ad
▁to do|▁v ez|ur n|or m|▁sh ould|el o|▁o p|▁c ould|d ay|h ing|v a|un ca|▁per son|▁y ear
t y|v es|▁o ld|▁c re|▁pro ble|ec es|l es|▁p od|ec t|▁cu ando|▁d in|▁I' ll|ú n|▁s pe
añ ana|it t|▁e mp|op le|u est|▁t el|▁ne ver|j ar|▁n ada|▁c er|▁s m|▁pued o|as s|▁c al
▁en t|▁mu cho|▁C h|in o|us e|▁f o|▁h ome|▁qu ed|▁f l|▁a h|d a|▁per o|▁c or|ier a|w er
▁ era|v ed|▁pl ay|▁as ked|▁ jo|P or|ó mo|ón de|▁t ar|▁ne w|▁f in|ad or|▁d ay|ct or|at o
ar t|▁h i|▁d r|▁p oc|▁ex p|▁B ost|▁Bost on|▁b r|▁b ro|▁n ue|b e|▁b ack|▁pl an|ier on
▁l ong|Cu án|▁com pr|▁a p|▁pe ople|▁j ust|▁L as|od y|▁L o|▁g u|c u|ien te|iemp re|j or
er ía|▁gr and|▁tod os|om bre|▁ha y|▁m on|▁pregun t|▁c oc|▁s ent|▁p o|▁f u|an c|▁Ten go
t ra|▁in ter|▁ if|f t|▁re ad|d ad|▁no w|▁Wh y|▁pued e|oug h|▁s omet|▁Es te|one y|i ado
▁st ud|▁an s|ou se|is te|▁spe ak|ri ed|▁m añana|▁to ld|▁p ol|b ro|u to|ig n|▁L et|b ody
im os|▁me jor|en to|▁s ta|uel a|a it|▁ll am|w ays|i ere|▁traba jo|í o|ag e|▁está n|▁v iv
▁d ía|▁m al|▁b l|▁wh o|▁n ight|ul t|▁t ell|▁m en|▁es p|p t|▁m in|tr os|▁ch ild|▁fr iend
g ar|▁s to|▁tw o|r os|▁ne ces|▁un der|▁ten go|▁sol o|▁c all|▁al ways|▁des p|m ana|▁v ol
▁ans wer|ga in|▁in v|▁b ar|▁an tes|▁y o|▁A l|b o|▁I' ve|▁f am|f r|ien to|▁v a|▁a ños
▁S u|en a|d u|▁T o|▁es to|ad ie|▁ro om|▁a gain|▁T e|▁T od|▁est ar|f ore|s el|▁m oney
▁w ent|▁de mas|u re|▁m ay|▁I n|ic h|▁din ero|▁ ke|▁t ake|▁w r|▁hab lar|▁li br|▁poc o
os a|ent s|▁somet hing|▁the y|f e|▁af ter|▁d ur|▁f ir|▁A re|▁c ab|▁a gu|ar n|▁est ud|E s
▁on ly|▁se ñ|▁be fore|j os|t en|▁p lease|▁h ow|▁no che|t os|▁m ed|▁s ay|▁re c|▁t alk
▁pad re|e k|▁h ouse|am ente|▁qu iero|j er|▁li bro|▁do ctor|' ll|▁m es|▁o c|im a|i ar|ñ a
▁You 're|z o|ci l|on tr|▁o ver|g l|m er|▁ our|▁b et|▁demas iado|▁f ather|▁do g|▁ er
▁mad e|▁Qu iero|▁b a|or row|iz o|▁lo t|▁es toy|i b|▁le ft|cho ol|▁s w|▁P or|▁p el
▁P lease|i an|▁do wn|i le|ar ía|▁ha ce|? "|N o|▁g ust|▁re ally|▁resp ond|ill a|P ued
u es|▁th ought|▁Wh o|▁s iempre|it ar|▁so bre|v is|u ra|▁ac c|▁st ill|▁s chool|g r|j ó
▁c r|▁n os|▁w ait|▁pro f|re o|▁m ust|▁Tom ás|sel f|n e|▁p h|re ad|▁qu iere|n o|▁ver dad
un d|▁has ta|ch a|ci on|▁pr es|▁h ot|ier es|▁m ake|▁b el|▁J ap|en ed|E st|e ce|u b
▁con s|▁fam il|▁any thing|▁a uto|▁Wh en|▁S i|▁r ight|w ay|▁de ber|ar y|▁in t|▁te ach
▁h and|at ch|▁ ide|▁n unca|▁es per|▁Wh ere|▁tod ay|n g|▁v e|▁tar de|▁th ree|ien e|▁man y
▁dec ir|en ta|as te|p h|he d|an k|f er|▁tr es|▁hab er|▁per d|pr end|itt le|o h|t or
er ta|▁h or|▁h ora|in s|ar é|▁l ittle|ri b|▁h o|▁l un|on o|▁w ater|lar es|á l|▁p ens
le ep|c ar|▁v uel|▁Ell os|▁I f|▁re g|▁A n|i ed|▁c ame|al mente|ust ed|▁f el|▁in to|o g
▁sta y|T he|t as|u és|▁li ve|▁per ro|▁H ay|▁is n't|▁w in|▁bo y|C ómo|it y|▁h izo
▁want ed|ar me|▁agu a|▁los t|▁year s|el y|▁tom orrow|▁D id|u ck|an s|or d|i as|▁lo ve
▁sab e|▁C reo|av ía|Qu ién|▁w ell|▁h ombre|▁we ek|▁hab ía|▁enc ontr|ren ch|▁d ó|▁des de
at ed|ien es|▁com er|▁ ing|▁F rench|is e|▁f a|▁v en|▁do or|▁dó lares|▁p es|▁p al|▁lle v
▁g ir|ing s|▁the m|▁al gun|▁Let 's|ú s|ar io|▁qu ería|▁ide a|▁t erm|or es|tr as|▁ah ora
▁d ías|an as|ie ve|▁fe el|▁nue vo|▁es e|x t|▁a pp|r ía|▁m at|▁y a|▁pu erta|s h|▁re m
▁se c|▁J oh|anc és|▁ usted|á r|▁with out|D ónde|gu ien|▁c he|▁Tom 's|▁pu t|i os|i ble
ar á|▁fr ancés|▁answer ed|u v|▁p ap|▁d ice|an ce|▁Mar ía|ill o|▁let ter|▁t a|▁re p|i ver
▁s tr|▁o ther|▁Joh n|ar te|▁mo ther|▁m í|ig h|i k|▁ni ños|▁prof es|í s|▁al m|▁v ie|▁C u
▁S h|▁bet ter|' ve|ar se|ita ción|l t|▁t i|ic t|▁pr im|ig u|▁sa w|▁fir st|▁f un|▁M r
▁se mana|é r|u ch|▁gir l|▁m orn|▁w ay|▁st art|g et|r as|▁se gu|▁h ard|▁n uest|▁in s
▁est ás|▁That 's|▁me t|▁morn ing|ug ar|▁child ren|▁g ente|E l|es ter|▁D es|s a|▁p ie
▁en tr|▁min ut|▁di je|▁it 's|▁mad re|▁s ign|▁imp ort|▁want s|▁in c|oso tros|v ing|▁b re
▁no v|j as|▁t urn|▁H ave|▁"￼ ",|ur r|oc k|d s|a z|▁pregunt ó|ire d|l os|▁to ok
▁hab itación|▁s c|▁s é|▁c ap|▁d ri|▁P ar|▁I' d|ci ó|▁teach er|▁h our|▁e ar|o od|▁s leep
▁f uer|▁o l|▁her m|▁En gl|T e|y ing|▁g ive|▁ten ía|v id|el a|▁g ave|▁coc he|▁h oy|ci o
▁car ta|▁be b|▁F r|▁g re|▁jo b|▁ z|▁l ar|▁ar ri|▁ha c|▁N eces|is ta|t il|▁v ida|b l|s o
▁s ays|▁b ed|▁b ought|f ono|▁a ño|▁su b|ant es|▁es a|at os|▁" ¿|▁be ca|í n|▁g l
▁bro ther|b ol|▁Es o|st and|▁desp ués|it ó|▁d ie|▁n ame|al es|ester day|▁p us|▁d ar
um ber|▁am ig|os as|▁lle g|▁w on't|▁est ado|▁ne xt|▁beca use|e f|▁ $|▁par t|▁ im|▁wh ere
▁d a|▁me et|M e|▁h ur|▁P ued|k es|▁the ir|▁person as|▁c at|ak es|▁mis mo|▁E very|ú m
▁di o|om p|▁f ound|▁acc id|t ing|▁con f|▁esc uela|n a|▁e qu|▁sh o|▁Engl ish|▁a g|ci as
▁hab l|▁tel é|▁profes or|▁c i|▁proble m|▁o tra|▁f ind|▁ra in|▁estud i|▁telé fono|▁v ac
e w|y s|e e|▁ Z|▁le arn|▁as í|▁S ol|d ico|▁H is|▁esc rib|it al|▁j un|▁a way|id os
▁Tod os|c ed|t s|▁pas ado|á p|▁d orm|▁le ave|▁He 's|▁dr ink|▁sab er|g er|▁tr en|l és
▁b ig|al e|▁l ate|▁ing lés|▁b ir|▁ ed|▁s n|in ar|or ta|ci ones|▁y esterday|if e|▁bu y
g an|k a|m ent|▁happ y|▁under stand|▁señ or|u z|▁s or|▁ab r|en cia|▁al read|▁r un
▁Jap an|▁alread y|on s|▁ni ño|▁ph one|▁ ú|▁k il|▁us ed|D e|▁pe que|est ion|y er|í an
▁n adie|▁no thing|f ic|ar m|▁e ven|▁s it|▁n úm|▁núm ero|▁t er|▁vis it|▁p os|▁m é|en ce
ar s|▁could n't|▁se em|▁sh ow|re d|▁pued es|▁mis s|is ter|▁Y a|▁di ff|▁every thing
▁We 're|▁p ay|▁What 's|am b|b an|ien tes|▁b ab|▁M ay|ri ó|em ber|▁he cho|▁friend s|at a
c ul|▁R e|▁n umber|▁par ece|k h|▁p ag|▁A s|▁ent re|▁m om|▁as k|t ro|▁v i|▁hot el|▁p la
▁hi jo|▁respond ió|▁a prend|▁N unca|▁dec id|a ut|▁b ad|▁qu ién|▁qu ieres|al o|▁S oy
▁m il|▁B r|▁li fe|▁There 's|at es|pp ed|▁C om|ang e|▁p un|un g|▁op en|om br|▁w atch
▁tra in|un do|▁proble ma|os p|▁c ost|▁gr an|▁c le|▁N os|▁com ida|▁ayud a|im o|is a|▁su r
▁m ir|▁a par|▁m a|▁"￼ ,"|▁pas s|ad as|▁qu estion|▁v end|▁al one|▁pr on|ed o|▁e ver|▁ca f
▁g ra|▁tel e|Pued o|or k|d r|▁amig os|▁you ng|▁book s|▁gust aría|g as|▁ke ep|▁so on|▁S é
▁libr os|▁s l|▁oc up|▁h osp|ud ad|▁bo t|Cu ál|d en|í amos|▁p ed|▁o b|▁know s|▁tod as
▁t ú|▁v eces|▁ci udad|▁s ame|▁Es p|▁ú lt|▁t re|▁di f|i ous|▁b ic|▁le v|▁pol ic|▁N adie
▁do ing|▁de b|▁dur ante|▁p at|uer do|▁t on|▁b est|▁en ough|▁mar ried|▁t able|oc he
▁hosp ital|▁H a|▁col d|▁P ens|▁te mp|▁pro p|g g|▁m ur|▁en f|▁v as|▁Es to|▁he ar|▁con o
▁mo v|m bre|▁c oun|▁Sol o|Cuán do|ill as|▁rem ember|c le|t u|▁o í|▁happ ened|▁mon th
el la|▁f ish|▁H er|▁r áp|▁mé dico|▁fo od|▁re al|▁tien es|g ra|▁s k|▁w alk|▁v oy|▁sw im
er te|▁l ist|▁m undo|▁tod a|▁O ur|▁sto p|▁may or|n er|Cuán to|á m|▁f á|▁be aut|▁bel ieve
▁t us|ol d|▁por que|▁look s|▁s ing|▁s ister|le ta|▁Neces ito|an y|▁se a|iv o|▁cam a
▁herm ano|▁T u|is s|re t|▁par ty|▁dif í|ies ta|▁o wn|▁el los|▁so y|▁ex am|▁un til|▁cam b
▁cer ca|▁c ada|▁S ome|▁tod avía|▁in f|▁sm all|▁bre ak|▁an im|▁c ant|▁c osas|u ro|▁d ónde
▁e as|▁Est á|▁o tro|am a|▁Un a|ff ee|y o|▁v ino|▁look ing|▁S t|▁p á|ta in|h er|m b
▁c ómo|▁g an|▁De ber|▁fel iz|é is|▁c ier|▁l es|▁con du|▁us e|ug h|▁mes a|▁l ad|▁f lo
▁th ese|▁C on|▁he ard|▁p i|▁j ue|▁bab y|u do|▁n osotros|▁con oc|do w|▁su re|▁v ent|p o
▁d ic|▁You r|▁gl ass|an ta|al s|▁beaut if|▁de jó|▁H ab|▁deber ía|▁t al|end er|ar e
is hed|▁f iesta|▁co ffee|! "|r á|▁ab uela|▁fu era|▁caf é|▁beautif ul|▁p an|ic ina|▁all í
▁difí cil|or s|u c|▁you 're|o ther|▁vis to|re c|us tr|u th|v ió|ó m|ip o|▁al guien
▁cl ass|▁cont ra|p ort|mo ther|▁traba j|▁A ll|ak ing|▁n ombre|▁of ten|▁win dow|▁p on
▁man o|▁grand e|▁Pens é|▁f ire|▁qu er|▁e y|▁am igo|▁neces it|▁tele vis|▁d ays|▁mu jer
▁un o|ent ro|▁wh y|▁men os|z ón|is ed|le g|▁A h|▁auto b|m igo|al ia|▁t ired|▁f ar
▁con migo|▁tien en|▁lle va|▁wr ong|▁it s|re am|▁v ia|▁can s|uel o|Est ás|▁hor as|▁pal ab
▁se en|▁bus y|▁P er|▁beb é|▁de j|▁D r|▁ol vid|▁autob ús|▁s te|▁j ug|▁hacer lo|ic os
ent es|▁ro b|▁cer r|▁c in|▁fu ll|▁m us|▁n ad|▁di ed|m an|or y|r or|▁n a|▁was n't|▁cu mp
u y|▁n ing|▁wh ile|▁ar ound|▁vol ver|▁Cu ando|▁segu ro|▁pel í|er v|it ed|▁v ive|▁le er
▁his tor|e b|g ún|i ra|ci er|▁su fic|▁ne ar|▁cl ase|▁buen a|▁be c|il a|▁her mana
▁pron to|l ic|ur os|▁co ok|▁p ien|▁de jar|m it|▁re t|ce pt|▁pr om|▁compr ar|▁en se
▁k ind|▁ac er|? ",|▁l ugar|▁b ra|▁li kes|▁cl os|▁dis c|▁pad res|P od|▁ os|en o|un a
▁cas i|▁V oy|▁ay er|▁int ent|▁algun a|▁t ri|▁par ents|▁grand mother|▁sn ow|h a|▁f al
▁v o|ort un|▁p id|▁W ould|▁"￼ ".|▁l ight|▁sab ía|▁g ol|▁ten er|▁emp ez|f ul|u k|▁d one
▁des c|▁pro b|▁hac iendo|n ing|en er|▁h ic|▁h um|go t|▁j u|▁sin ce|▁th r|▁die z|▁pla ce
▁b or|▁g ato|▁en d|▁con se|▁"￼ ."|ch es|ir t|▁lle gar|▁happ en|▁sp end|an os|▁N uest
if ic|▁con tr|▁re d|▁sal ir|▁ayud ar|▁hour s|▁z ap|w e|▁Mary 's|▁fl ow|▁ráp ido|▁th ing
▁señ ora|▁term in|le t|▁nuest ra|T ienes|qu ier|▁L l|▁an other|añ o|▁much os|k et|▁s at
▁c op|▁ex tra|▁pas ó|▁person a|▁le av|▁w ish|▁wh is|▁cu enta|▁hab la|▁esc uch|▁sol d
▁a v|▁a ir|▁th ings|▁ar m|▁l la|▁p ost|▁b ol|▁M ond|▁r u|▁com ing|iz e|ó lo|c ado|▁f ell
▁con ta|ang er|▁famil y|▁ta x|▁p is|▁A ustr|▁ab le|▁look ed|▁li ves|▁lun es|▁dri ve
es ta|ond er|▁ah í|á b|▁s ac|▁be h|ien t|▁k ill|ros s|▁p elo|▁an g|▁B e|L a|▁c ort|▁w om
ac t|▁tan to|▁polic ía|▁gr itó|▁mis ta|▁off ice|▁fuer te|▁pus o|▁thr ough|▁a te|an co
▁No body|▁Do es|▁cont igo|▁t all|▁y et|▁l an|▁E res|ra id|▁buen o|cu la|▁alm ost|m ber
▁ id|▁ ár|▁kn ew|▁wait ing|▁H oy|um br|▁pas a|ug ht|▁gu itar|ugh ter|ro te|▁tr ue
▁famil ia|c el|v el|▁c ur|▁bro ke|▁Mond ay|▁d om|▁pa int|▁coun tr|' d|c l|▁ Ñ|ou p
`
  .trim()
  .split(/[|\n]/)
  .map((line) => /** @type {[string, string]} */ (line.split(" ")));
