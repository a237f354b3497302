import type { Catalogue } from '../sentence.ts'
import { spaced } from './spacing.ts'

/** The sentences of core in French, by the English ones. */
export const sentences: Catalogue = spaced({
  'The language model gave no answer.': 'Le modèle de langage n’a pas donné de réponse.',
  'The answer was cut off before it began: the limit for one answer was reached.':
    'La réponse a été coupée avant de commencer : la limite d’une réponse était atteinte.',
  'The steps of this answer are used up before it was finished. Ask again to go on.':
    'Les étapes de cette réponse sont épuisées avant sa fin. Relancez la demande pour continuer.',
  'The AI chat is not set up completely. An administrator can see what is missing.':
    'Le chat IA n’est pas entièrement configuré. Un administrateur peut voir ce qui manque.',
  'There is no such tool.': 'Cet outil n’existe pas.',
  'This content management system does not have what this tool works on.':
    'Ce système de gestion de contenu ne dispose pas de ce dont cet outil a besoin.',
  'This tool is switched off for everyone. The operator of this installation can switch it on in the settings.':
    'Cet outil est désactivé pour tous. L’exploitant de cette installation peut l’activer dans les réglages.',
  'Only administrators may use this tool. Ask an administrator to look it up.':
    'Seuls les administrateurs peuvent utiliser cet outil. Demandez à un administrateur de vérifier.',
  'One of your user groups is not allowed to use this tool. An administrator can change the rules of the group.':
    'Un de vos groupes n’est pas autorisé à utiliser cet outil. Un administrateur peut changer les règles du groupe.',
  'None of your user groups is allowed to use this tool. An administrator can change the rules of a group.':
    'Aucun de vos groupes n’est autorisé à utiliser cet outil. Un administrateur peut changer les règles d’un groupe.',
  'The AI configuration that answers you does not offer this tool. The operator of this installation can add it.':
    'La configuration d’IA qui vous répond n’offre pas cet outil. L’exploitant de cette installation peut l’ajouter.',
  'The data of this tool is too sensitive for the AI provider in use. The operator of this installation decides that.':
    'Les données de cet outil sont trop sensibles pour le fournisseur d’IA utilisé. L’exploitant de cette installation en décide.',
  'The language model in use cannot call tools. The operator of this installation can choose another one.':
    'Le modèle de langage utilisé ne peut pas appeler d’outils. L’exploitant de cette installation peut en choisir un autre.',
  You: 'Vous',
  Assistant: 'Assistant',
  Attached: 'Joint',
  Named: 'Nommé',
  'Something that the message names is gone, or you may not see it. Remove it and send again.':
    'Un élément nommé dans le message n’existe plus, ou vous ne pouvez pas le voir. Retirez-le et renvoyez le message.',
  'This prompt does not exist.': 'Cette invite n’existe pas.',
  'You can keep {max} prompts. Delete one first.':
    'Vous pouvez garder {max} invites. Supprimez-en d’abord une.',
  Used: 'Utilisé',
  'Not answered.': 'Sans réponse.',
  'There is no such record, or this user may not see it.':
    'Cet enregistrement n’existe pas, ou cet utilisateur ne peut pas le voir.',
  'Records of this table cannot be changed.':
    'Les enregistrements de cette table ne peuvent pas être modifiés.',
  'The groups of this user may not change records of this table. An administrator can allow it.':
    'Les groupes de cet utilisateur ne peuvent pas modifier les enregistrements de cette table. Un administrateur peut l’autoriser.',
  'This user has no right to do that on this page. An administrator, or the owner of the page, can give it.':
    'Cet utilisateur n’en a pas le droit sur cette page. Un administrateur, ou le propriétaire de la page, peut le donner.',
  'This is locked: only administrators may edit it.':
    'Contenu verrouillé : seuls les administrateurs peuvent le modifier.',
  'The groups of this user may not change records in this language. An administrator can allow it.':
    'Les groupes de cet utilisateur ne peuvent pas modifier d’enregistrements dans cette langue. Un administrateur peut l’autoriser.',
  'This field cannot be changed.': 'Ce champ ne peut pas être modifié.',
  Pages: 'Pages',
  Content: 'Contenu',
  News: 'Actualités',
  'Backend users': 'Utilisateurs du backend',
  'Backend groups': 'Groupes du backend',
  Log: 'Journal',
  History: 'Historique',
  'This user may no longer change one of these fields.':
    'Cet utilisateur ne peut plus modifier l’un de ces champs.',
  'The record was changed again since.': 'L’enregistrement a été modifié de nouveau depuis.',
  'Something else was put on this page since.': 'Un autre contenu a été ajouté à cette page depuis.',
  yes: 'oui',
  no: 'non',
  'A value is needed.': 'Une valeur est attendue.',
  'Only one line of text is possible.': 'Une seule ligne de texte est possible.',
  'A text is needed.': 'Un texte est attendu.',
  'Only true or false is possible.': 'Seules les valeurs true et false sont possibles.',
  'A date is needed, like 2026-05-31 or 2026-05-31T09:00:00Z.':
    'Une date est attendue, comme 2026-05-31 ou 2026-05-31T09:00:00Z.',
  'A whole number is needed.': 'Un nombre entier est attendu.',
  'At most {max} characters are possible.': '{max} caractères au maximum.',
  'A number from {min} to {max} is needed.': 'Un nombre de {min} à {max} est attendu.',
  'Possible values: {options}.': 'Valeurs possibles : {options}.',
  'There is no {table}:{uid}.': '{table}:{uid} n’existe pas.',
  'Uids separated by commas are needed.': 'Des uids séparés par des virgules sont attendus.',
  'The language model did not answer. What was done until then is kept.':
    'Le modèle de langage n’a pas répondu. Ce qui a été fait jusque-là est conservé.',
  'The language model rejected the request. What was done until then is kept.':
    'Le modèle de langage a rejeté la demande. Ce qui a été fait jusque-là est conservé.',
  'The language model did not accept the access data. An administrator can check them.':
    'Le modèle de langage n’a pas accepté les données d’accès. Un administrateur peut les vérifier.',
  'The conversation is too large for the language model. Start a new one, or remove a file.':
    'La conversation est trop grande pour le modèle de langage. Commencez-en une nouvelle, ou retirez un fichier.',
  'The answer made no progress for 5 minutes and was ended. What was done until then is kept.':
    'La réponse n’a pas avancé pendant 5 minutes et a été arrêtée. Ce qui a été fait jusque-là est conservé.',
  'The work on your message did not begin within 5 minutes. Your message is stored; try again.':
    'Le travail sur votre message n’a pas commencé en 5 minutes. Votre message est enregistré ; réessayez.',
  'The answer took too long and was ended. What was done until then is kept.':
    'La réponse a pris trop de temps et a été arrêtée. Ce qui a été fait jusque-là est conservé.',
  'The database did not answer. What was done until then is kept; try again.':
    'La base de données n’a pas répondu. Ce qui a été fait jusque-là est conservé ; réessayez.',
  'Your tokens for today are used up. It is possible again at midnight UTC.':
    'Vos jetons du jour sont épuisés. Vous pourrez continuer à partir de minuit UTC.',
  'You may no longer use the AI chat. An administrator can give you access.':
    'Vous n’avez plus accès au chat IA. Un administrateur peut vous l’accorder.',
  'The content management system did not answer. What was done until then is kept; try again.':
    'Le système de gestion de contenu n’a pas répondu. Ce qui a été fait jusque-là est conservé ; réessayez.',
  'The connection to the content management system is not set up correctly. What was done until then is kept.':
    'La connexion au système de gestion de contenu est mal configurée. Ce qui a été fait jusque-là est conservé.',
  'Something went wrong. What was done until then is kept. Try again, or tell an administrator the reference.':
    'Une erreur est survenue. Ce qui a été fait jusque-là est conservé. Réessayez ou communiquez la référence à un administrateur.',
  'The request is not valid.': 'La demande n’est pas valide.',
  'Write a message or attach a file.': 'Écrivez un message ou joignez un fichier.',
  'The message is too long. At most {max} characters are possible.':
    'Le message est trop long. {max} caractères au maximum.',
  'The instructions are too long. At most {max} characters are possible.':
    'Les consignes sont trop longues. {max} caractères au maximum.',
  'Log in to go on.': 'Connectez-vous pour continuer.',
  'Your session has ended. Log in again.': 'Votre session a pris fin. Reconnectez-vous.',
  'Username or password is wrong.': 'Nom d’utilisateur ou mot de passe incorrect.',
  'The request could not be verified. Reload the page.':
    'La demande n’a pas pu être vérifiée. Rechargez la page.',
  'You may not use the AI chat. An administrator can give you access.':
    'Vous n’avez pas accès au chat IA. Un administrateur peut vous l’accorder.',
  'You may no longer decide this change.': 'Vous ne pouvez plus décider de cette modification.',
  'This conversation does not exist.': 'Cette conversation n’existe pas.',
  'This file does not exist.': 'Ce fichier n’existe pas.',
  'This record does not exist, or you may not see it.':
    'Cet enregistrement n’existe pas, ou vous ne pouvez pas le voir.',
  'You may not change this record.': 'Vous ne pouvez pas modifier cet enregistrement.',
  'The record has changed meanwhile. Look at it again.':
    'L’enregistrement a changé entre-temps. Vérifiez-le de nouveau.',
  'This turn does not exist.': 'Ce tour n’existe pas.',
  'There is nothing at this address.': 'Il n’y a rien à cette adresse.',
  'This address does not support the method.': 'Cette adresse n’accepte pas cette méthode.',
  'The assistant is still working in this conversation.':
    'L’assistant travaille encore dans cette conversation.',
  'The conversation has changed meanwhile. Look at it again.':
    'La conversation a changé entre-temps. Vérifiez-la de nouveau.',
  'The proposal has changed. Look at it again.': 'La proposition a changé. Vérifiez-la de nouveau.',
  'The record cannot be given these words. Keep the proposed ones, or write others.':
    'L’enregistrement ne peut pas recevoir ce texte. Gardez celui qui est proposé ou écrivez-en un autre.',
  'There is nothing to decide any more.': 'Il n’y a plus rien à décider.',
  'Only a failed answer can be tried again.': 'Seule une réponse qui a échoué peut être relancée.',
  'At most {max} earlier versions are kept. Begin a new conversation.':
    '{max} versions antérieures au maximum sont conservées. Commencez une nouvelle conversation.',
  'At most {max} messages can wait. Remove one, or wait until one is sent.':
    '{max} messages au maximum peuvent attendre. Retirez-en un ou attendez qu’un autre soit envoyé.',
  'You have reached {max} conversations. Delete one first.':
    'Vous avez atteint {max} conversations. Supprimez-en d’abord une.',
  'The file is too large. At most 20 MB are possible.':
    'Le fichier est trop volumineux. La taille maximale est de 20 Mo.',
  'The request is too large.': 'La demande est trop volumineuse.',
  'Files of this type cannot be processed.': 'Les fichiers de ce type ne peuvent pas être traités.',
  'The content of the file is not what its name or type say.':
    'Le contenu du fichier n’est pas ce que son nom ou son type indique.',
  'The file cannot be read. It may be empty, damaged, encrypted or contain macros.':
    'Le fichier ne peut pas être lu. Il est peut-être vide, endommagé, chiffré ou contient des macros.',
  'A conversation holds at most 5 files.': 'Une conversation contient 5 fichiers au maximum.',
  'You have uploaded {max} files without sending them. Send one, or wait: they are removed after a day.':
    'Vous avez téléversé {max} fichiers sans les envoyer. Envoyez-en un ou attendez : ils sont supprimés après un jour.',
  'This request was already made with other content.':
    'Cette demande a déjà été faite avec un autre contenu.',
  'The assistant already works for you in {max} conversations. Wait until one is done.':
    'L’assistant travaille déjà pour vous dans {max} conversations. Attendez que l’une d’elles soit terminée.',
  'Too many failed attempts. Try again later.': 'Trop de tentatives échouées. Réessayez plus tard.',
  'The service does not answer at the moment. Try again.':
    'Le service ne répond pas pour le moment. Réessayez.',
  'The assistant is being maintained and takes no new tasks. Try again later.':
    'L’assistant est en maintenance et ne prend pas de nouvelle tâche. Réessayez plus tard.',
  'The assistant has too much to do at the moment. Try again in a minute.':
    'L’assistant a trop à faire pour le moment. Réessayez dans une minute.',
  'The content management system does not answer at the moment. Try again.':
    'Le système de gestion de contenu ne répond pas pour le moment. Réessayez.',
  'The connection to the content management system is not set up correctly. An administrator can see why.':
    'La connexion au système de gestion de contenu est mal configurée. Un administrateur peut voir pourquoi.',
  'Something went wrong. Try again, or tell an administrator the reference.':
    'Une erreur est survenue. Réessayez ou communiquez la référence à un administrateur.',
  'The file is empty.': 'Le fichier est vide.',
  'The file is larger than 20 MB.': 'Le fichier fait plus de 20 Mo.',
  'Files of this type cannot be processed. Possible are: {formats}.':
    'Les fichiers de ce type ne peuvent pas être traités. Possibles : {formats}.',
  'The declared type does not fit the file name.': 'Le type déclaré ne correspond pas au nom du fichier.',
  'The content is not what the file name says. Save the file in the right format.':
    'Le contenu n’est pas ce que dit le nom du fichier. Enregistrez le fichier au bon format.',
  'The document contains macros. Save it without macros.':
    'Le document contient des macros. Enregistrez-le sans macros.',
  'The file is encrypted or protected. Save it without protection.':
    'Le fichier est chiffré ou protégé. Enregistrez-le sans protection.',
  'This is an old or an encrypted Office file. Save it as docx or xlsx, without a password.':
    'C’est un fichier Office ancien ou chiffré. Enregistrez-le en docx ou xlsx, sans mot de passe.',
  'The file is damaged or incomplete.': 'Le fichier est endommagé ou incomplet.',
  'The document is too large when it is unpacked.': 'Le document est trop volumineux une fois décompressé.',
  'The picture has more than 100 megapixels. Scale it down.':
    'L’image a plus de 100 mégapixels. Réduisez-la.',
  'Called {tool} of {server}': 'A appelé {tool} de {server}',
  'Calling {tool} of {server}': 'Appelle {tool} de {server}',
  'Call “{tool}” of the server “{server}”?': 'Appeler « {tool} » du serveur « {server} » ?',
  '“{tool}” of “{server}” was called': '« {tool} » de « {server} » a été appelé',
  'The tool server “{server}” does not answer: {failure}':
    'Le serveur d’outils « {server} » ne répond pas : {failure}',
  'The server “{server}” has changed or removed tools; they are off until they are allowed again: {names}.':
    'Le serveur « {server} » a modifié ou retiré des outils ; ils sont désactivés jusqu’à une nouvelle autorisation : {names}.',
  'Administrator, may do everything': 'Administrateur, peut tout faire',
  'Reads and edits the public pages': 'Lit et modifie les pages publiques',
  'Edits news, works in German': 'Modifie les actualités, travaille en allemand',
  'May log in, but not use the chat': 'Peut se connecter, mais pas utiliser le chat',
  'Ask you back': 'Vous poser une question',
  'Asked you': 'Vous a posé une question',
  'Asking you': 'Vous pose une question',
  'Check of the site': 'Contrôle du site',
  'Checked the site': 'A contrôlé le site',
  'Checking the site': 'Contrôle le site',
  'Two versions': 'Deux versions',
  'Compared two versions': 'A comparé deux versions',
  'Comparing two versions': 'Compare deux versions',
  'Create a hidden content element': 'Créer un élément de contenu masqué',
  'Created hidden content': 'A créé un contenu masqué',
  'Creating hidden content': 'Crée un contenu masqué',
  'Proposed content': 'A proposé un contenu',
  'Create hidden content element “{title}”': 'Créer l’élément de contenu masqué « {title} »',
  'The hidden content “{title}” was created on page [{page}].':
    'Le contenu masqué « {title} » a été créé sur la page [{page}].',
  'Create a hidden page': 'Créer une page masquée',
  'Created a hidden page': 'A créé une page masquée',
  'Creating a hidden page': 'Crée une page masquée',
  'Proposed a page': 'A proposé une page',
  'Create hidden page “{title}”': 'Créer la page masquée « {title} »',
  'The hidden page “{title}” was created.': 'La page masquée « {title} » a été créée.',
  'Fields of a table': 'Champs d’une table',
  'Looked up the fields': 'A consulté les champs',
  'Looking up the fields': 'Consulte les champs',
  'Read the log': 'A lu le journal',
  'Reading the log': 'Lit le journal',
  'Page of an address': 'Page d’une adresse',
  'Looked up an address': 'A cherché une adresse',
  'Looking up an address': 'Cherche une adresse',
  'Last exception': 'Dernière exception',
  'Looked up the last exception': 'A consulté la dernière exception',
  'Looking up the last exception': 'Consulte la dernière exception',
  'Page content': 'Contenu de page',
  'Read page content': 'A lu le contenu de la page',
  'Reading page content': 'Lit le contenu de la page',
  'Page tree': 'Arborescence des pages',
  'Read the page tree': 'A lu l’arborescence des pages',
  'Reading the page tree': 'Lit l’arborescence des pages',
  'History of a record': 'Historique d’un enregistrement',
  'Read the history': 'A lu l’historique',
  'Reading the history': 'Lit l’historique',
  Record: 'Enregistrement',
  'Read a record': 'A lu un enregistrement',
  'Reading a record': 'Lit un enregistrement',
  'Looked for a record': 'A cherché un enregistrement',
  'System status': 'État du système',
  'Checked the system status': 'A vérifié l’état du système',
  'Checking the system status': 'Vérifie l’état du système',
  'Listed the backend users': 'A listé les utilisateurs du backend',
  'Listing the backend users': 'Liste les utilisateurs du backend',
  Files: 'Fichiers',
  'Listed files': 'A listé les fichiers',
  'Listing files': 'Liste les fichiers',
  'List of records': 'Liste d’enregistrements',
  'Listed records': 'A listé des enregistrements',
  'Listing records': 'Liste des enregistrements',
  'Change passages of a text': 'Modifier des passages d’un texte',
  'Changed passages of a text': 'A modifié des passages d’un texte',
  'Changing passages of a text': 'Modifie des passages d’un texte',
  'Proposed a change': 'A proposé une modification',
  'Change {count} field of “{title}”': 'Modifier {count} champ de « {title} »',
  'Change {count} fields of “{title}”': 'Modifier {count} champs de « {title} »',
  '{record}: {count} field changed.': '{record} : {count} champ modifié.',
  '{record}: {count} fields changed.': '{record} : {count} champs modifiés.',
  Search: 'Recherche',
  'Searched records': 'A cherché des enregistrements',
  'Searching records': 'Cherche des enregistrements',
  'Change a record': 'Modifier un enregistrement',
  'Changed a record': 'A modifié un enregistrement',
  'Changing a record': 'Modifie un enregistrement',
  'Change many records': 'Modifier de nombreux enregistrements',
  'Changed records': 'A modifié des enregistrements',
  'Changing records': 'Modifie des enregistrements',
  'Proposed changes': 'A proposé des modifications',
  'Where a record is used': 'Où un enregistrement est utilisé',
  'Looked where it is used': 'A cherché où il est utilisé',
  'Looking where it is used': 'Cherche où il est utilisé',
  'it no longer exists': 'il n’existe plus',
  'the configured model cannot look at images': 'le modèle configuré ne sait pas lire les images',
  'the model provider refused it': 'le fournisseur du modèle l’a refusé',
  'it is not an image that can be read': 'ce n’est pas une image lisible',
  'it does not fit into the request beside the other files':
    'il ne tient pas dans la demande à côté des autres fichiers',
  'it has no text: it is empty, or a scan, and text in pictures is not recognised':
    'il n’a pas de texte : il est vide ou numérisé, et le texte dans les images n’est pas reconnu',
  'it is protected by a password': 'il est protégé par un mot de passe',
  'it contains macros': 'il contient des macros',
  'it is damaged and cannot be read': 'il est endommagé et illisible',
  'it is too large or too complex to be read': 'il est trop grand ou trop complexe à lire',
  'it took too long to read': 'sa lecture a pris trop de temps',
  pictures: 'images',
  'charts and diagrams': 'graphiques et diagrammes',
  'sheets that hold one chart alone': 'feuilles qui contiennent un seul graphique',
  'files embedded in it': 'fichiers qui y sont incorporés',
  'pages without a text layer, blank or scanned': 'pages sans texte, vides ou numérisées',
  'a form that only its own viewer can show': 'un formulaire que seul son propre lecteur peut afficher',
  'columns beyond the 256th': 'colonnes au-delà de la 256e',
  'comments on cells': 'commentaires de cellules',
  'The file “{name}” was not used: {words}.': 'Le fichier « {name} » n’a pas été utilisé : {words}.',
  'Only the beginning of the file “{name}” was used.': 'Seul le début du fichier « {name} » a été utilisé.',
  'Not read of the file “{name}”: {words}.': 'Non lu dans le fichier « {name} » : {words}.',
  'Stopped. What was done until then is kept.': 'Arrêté. Ce qui a été fait jusque-là est conservé.',
  'The proposal was withdrawn by your new message. Nothing was changed.':
    'La proposition a été retirée par votre nouveau message. Rien n’a été modifié.',
  'The proposal was not decided within 7 days and has expired. Nothing was changed.':
    'La proposition n’a pas reçu de décision dans les 7 jours et a expiré. Rien n’a été modifié.',
  'The language model declined to answer this.': 'Le modèle de langage a refusé de répondre.',
  'This conversation is long: the oldest messages are no longer sent to the language model.':
    'Cette conversation est longue : les messages les plus anciens ne sont plus envoyés au modèle de langage.',
  'The changes of this answer were taken back.': 'Les modifications de cette réponse ont été annulées.',
  'This entry is damaged and cannot be shown.': 'Cette entrée est endommagée et ne peut pas être affichée.',
  'Taken back: {done}. Not taken back: {left}': 'Annulé : {done}. Non annulé : {left}',
  Title: 'Titre',
  Address: 'Adresse',
  'Title in menus': 'Titre dans les menus',
  Description: 'Description',
  Keywords: 'Mots-clés',
  'Title for search engines': 'Titre pour les moteurs de recherche',
  'Keep out of search engines': 'Exclure des moteurs de recherche',
  Type: 'Type',
  Hidden: 'Masqué',
  Language: 'Langue',
  Sorting: 'Ordre',
  'Publish from': 'Publier à partir du',
  'Publish until': 'Publier jusqu’au',
  'Only administrators may edit': 'Seuls les administrateurs peuvent modifier',
  Owner: 'Propriétaire',
  Group: 'Groupe',
  'Rights of the owner': 'Droits du propriétaire',
  'Rights of the group': 'Droits du groupe',
  'Rights of everybody': 'Droits de tous',
  Header: 'Titre',
  Subheader: 'Sous-titre',
  Body: 'Texte',
  Column: 'Colonne',
  Teaser: 'Chapeau',
  Date: 'Date',
  Author: 'Auteur',
  Category: 'Catégorie',
  Username: 'Nom d’utilisateur',
  Name: 'Nom',
  Email: 'E-mail',
  Administrator: 'Administrateur',
  Groups: 'Groupes',
  'Page mounts': 'Points de montage',
  Disabled: 'Désactivé',
  'Active from': 'Actif à partir du',
  'Active until': 'Actif jusqu’au',
  'Last login': 'Dernière connexion',
  'Inherits from groups': 'Hérite des groupes',
  'Tables to read': 'Tables à lire',
  'Tables to change': 'Tables à modifier',
  'Allowed exclude fields': 'Champs exclus autorisés',
  'Allowed languages': 'Langues autorisées',
  Level: 'Niveau',
  Component: 'Composant',
  Message: 'Message',
  User: 'Utilisateur',
  Exception: 'Exception',
  Code: 'Code',
  File: 'Fichier',
  Line: 'Ligne',
  Trace: 'Trace',
  Action: 'Action',
  Table: 'Table',
  Run: 'Exécution',
  Changes: 'Modifications',
  'Changed by': 'Modifié par',
  'There is no such server to connect.': 'Il n’y a pas de serveur de ce nom à connecter.',
  'The server could not be connected. Try again later, or ask an administrator.':
    'Le serveur n’a pas pu être connecté. Réessayez plus tard, ou adressez-vous à un administrateur.',
  'The server does not accept this token.': 'Le serveur n’accepte pas ce jeton.',
  'The server does not answer at the moment.': 'Le serveur ne répond pas pour le moment.',
  'The server has changed tools. An administrator has to allow them again: {names}.':
    'Le serveur a modifié des outils. Un administrateur doit les autoriser de nouveau : {names}.',
  Page: 'Page',
  'a page that this user may not see': 'une page que cet utilisateur ne peut pas voir',
  Place: 'Position',
  first: 'en premier',
  'behind {record}': 'après {record}',
  'The record cannot go back to the page where it was.':
    'L’enregistrement ne peut pas revenir sur la page où il se trouvait.',
  'Only administrators may do this.': 'Seuls les administrateurs peuvent le faire.',
  'Attach a picture or file': 'Joindre une image ou un fichier',
  'Attached a file': 'A joint un fichier',
  'Attaching a file': 'Joint un fichier',
  'Proposed a file': 'A proposé un fichier',
  'Attach a file to “{title}”': 'Joindre un fichier à « {title} »',
  '{record} has the file.': '{record} : fichier joint.',
  'Move a record': 'Déplacer un enregistrement',
  'Moved a record': 'A déplacé un enregistrement',
  'Moving a record': 'Déplace un enregistrement',
  'Proposed a move': 'A proposé un déplacement',
  'Move “{title}”': 'Déplacer « {title} »',
  '{record} was moved.': '{record} : déplacement effectué.',
  'Restore an earlier version': 'Restaurer une version antérieure',
  'Restored an earlier version': 'A restauré une version antérieure',
  'Restoring an earlier version': 'Restaure une version antérieure',
  'Proposed an earlier version': 'A proposé une version antérieure',
  'Put {count} field of “{title}” back': 'Restaurer {count} champ de « {title} »',
  'Put {count} fields of “{title}” back': 'Restaurer {count} champs de « {title} »',
  '{record}: {count} field put back.': '{record} : {count} champ restauré.',
  '{record}: {count} fields put back.': '{record} : {count} champs restaurés.',
  'Publish, hide or schedule': 'Publier, masquer ou planifier',
  'Changed whether a record is public': 'A modifié la publication d’un enregistrement',
  'Changing whether a record is public': 'Modifie la publication d’un enregistrement',
  'Proposed to publish or hide': 'A proposé de publier ou de masquer',
  'Change whether “{title}” is public': 'Modifier la publication de « {title} »',
  '{record} has its new state.': '{record} : nouvel état enregistré.',
  'AI chat': 'Chat IA',
  '“{server}” is connected. You can close this window.':
    '« {server} » est connecté. Vous pouvez fermer cette fenêtre.',
  '“{server}” was not connected. Close this window and try again in the chat.':
    '« {server} » n’a pas été connecté. Fermez cette fenêtre et réessayez dans le chat.',
  'This way back is not valid, or not any more. Close this window and connect again in the chat.':
    'Ce retour n’est pas valable, ou ne l’est plus. Fermez cette fenêtre et reconnectez-vous dans le chat.',
  'The account “{username}” of the AI chat wants to work on “{server}” with your rights. Go on only if this is your account and you have just begun this.':
    'Le compte « {username} » du chat IA veut travailler sur « {server} » avec vos droits. Continuez seulement si c’est votre compte et si vous venez de le demander.',
  Connect: 'Connecter',
  'A program proposes over the access token “{token}”: {tool}':
    'Un programme propose avec le jeton d’accès « {token} » : {tool}',
  'At most {max} access tokens are possible. Revoke one first.':
    '{max} jetons d’accès au maximum sont possibles. Révoquez-en d’abord un.',
  'This access token is used too often. Try again later.':
    'Ce jeton d’accès est utilisé trop souvent. Réessayez plus tard.',
  'Translate a record': 'Traduire un enregistrement',
  'Translated a record': 'A traduit un enregistrement',
  'Translating a record': 'Traduit un enregistrement',
  'Proposed a translation': 'A proposé une traduction',
  'Translate “{title}”': 'Traduire « {title} »',
  '{record} is stored as a translation.': '{record} : traduction enregistrée.',
  'Translation of': 'Traduction de',
})
