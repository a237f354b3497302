<?php

// A small CMS in one file with the AI chat in its backend: `CODE=<pairing code> php -S 127.0.0.1:4000 cms.php`. Its users log in
// without a password, and its records are in cms.sqlite: a real CMS has its own login and its own database in these two places.
declare(strict_types=1);

use BackendAiChat\{Adapter, Change, Chat, Entry, Field, Keys, PdoKeys, Person, Refused, Type};

require __DIR__ . '/kit/autoload.php';

final class SmallCms extends Adapter
{
    public string $name = 'Small CMS';
    public string $version = '1.0';
    public ?array $publishing = ['field' => 'status', 'shown' => ['published'], 'hidden' => 'draft'];

    public function __construct(private readonly PDO $db, string $base)
    {
        $this->origins = [$base];
        if ($this->rows("SELECT 1 FROM sqlite_master WHERE name = 'articles'") === []) {
            (new PdoKeys($db))->install();
            $columns = "title TEXT DEFAULT '', body TEXT DEFAULT '', status TEXT, version INTEGER DEFAULT 0, changed INTEGER";
            $db->exec("CREATE TABLE IF NOT EXISTS articles (id INTEGER PRIMARY KEY AUTOINCREMENT, author INTEGER, $columns)");
            $this->rows("INSERT OR IGNORE INTO articles VALUES (1, 2, 'Aurora lamp', 'Made of oak.', 'published', 1, ?)", time());
        }
    }

    public function keys(): Keys
    {
        return new PdoKeys($this->db);
    }

    public function user(int|string $id): ?Person
    {
        return array_column($this->users(), null, 'id')[$id] ?? null;
    }

    public function users(): array
    {
        return [new Person(1, 'anna', 'Anna Admin', true, ['admin']), new Person(2, 'emil', 'Emil Editor', false, ['editor'])];
    }

    public function types(?Person $user): array
    {
        return [new Type('articles', 'Articles', 'title', [
            new Field('title', 'Title', 'text', required: true, max: 120),
            new Field('body', 'Text', 'longtext'),
            new Field('status', 'Status', 'select', options: ['draft', 'published']),
        ])];
    }

    public function read(Person $user, string $type, int|string $id): ?Entry
    {
        return $this->entries($user, 'AND id = ?', $id)[0] ?? null;
    }

    public function list(Person $user, string $type, int $limit, int $offset, int|string|null $below): array
    {
        return [$this->entries($user, 'ORDER BY id LIMIT ? OFFSET ?', $limit, $offset), count($this->entries($user))];
    }

    public function search(Person $user, string $text, ?string $type, int $limit): array
    {
        $has = str_repeat("AND instr(lower(title || ' ' || coalesce(body, '')), lower(?)) ", substr_count($text, ' ') + 1);
        return $this->entries($user, "$has ORDER BY changed DESC LIMIT ?", ...[...explode(' ', $text), $limit]);
    }

    public function check(Person $user, Change $change): array
    {
        Refused::when(stripos($change->values['body'] ?? '', '<script') !== false, 'A text holds no scripts. Leave them out.');
        return $change->values;
    }

    // The kit has held the values against the fields, so their names are those of columns.
    public function put(Person $user, Change $change): ?Entry
    {
        $id = $change->id ?? $this->rows('INSERT INTO articles (author) VALUES (?) RETURNING id', $user->id)[0]['id'];
        $set = implode(' = ?, ', array_keys($change->values)) . ' = ?, version = version + 1, changed = ?';
        $with = [...array_values($change->values), time(), $id, $change->version ?: '0'];
        $isMade = $this->rows("UPDATE articles SET $set WHERE id = ? AND version = ? RETURNING id", ...$with) !== [];
        return $isMade ? $this->read($user, 'articles', $id) : null;
    }

    public function remove(Person $user, Entry $entry): bool
    {
        return $this->rows('DELETE FROM articles WHERE id = ? AND version = ? RETURNING id', $entry->id, $entry->version) !== [];
    }

    // Everybody reads what is published; drafts are for their author and for administrators.
    private function entries(Person $user, string $more = '', int|string ...$values): array
    {
        $seen = "SELECT *, (author = ? OR ?) AS mine FROM articles WHERE (status = 'published' OR mine) $more";
        return array_map(static function (array $row): Entry {
            ['id' => $id, 'version' => $version, 'changed' => $changed, 'mine' => $isMine] = $row;
            $values = array_intersect_key($row, ['title' => 1, 'body' => 1, 'status' => 1]);
            return new Entry('articles', $id, "$version", new DateTimeImmutable("@$changed"), $values, (bool) $isMine, ["/$id"]);
        }, $this->rows($seen, $user->id, (int) $user->isAdmin, ...$values));
    }

    private function rows(string $query, int|string|null ...$values): array
    {
        $statement = $this->db->prepare($query);
        $statement->execute($values);
        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }
}

$base = "http://127.0.0.1:{$_SERVER['SERVER_PORT']}";
$cms = new SmallCms(new PDO('sqlite:' . (getenv('DATA') ?: __DIR__ . '/cms.sqlite')), $base);
$chat = new Chat($cms, getenv('CODE') ?: parse_ini_file(__DIR__ . '/.env')['CODE'], $base);
$chat->handle() && exit;

session_start(['cookie_httponly' => true, 'cookie_samesite' => 'Strict']);
$user = $cms->user($_SESSION['user'] ?? 0);
$entry = $user ? $cms->read($user, 'articles', (int) ($_GET['uid'] ?? 0)) : null;
$escaped = static fn (mixed $text) => htmlspecialchars((string) $text);
$form = static fn (string $to, string $name, string $inputs = '') =>
    "<form method='post' action='$to'>$inputs<button>$name</button></form>";
$show = static fn (string $title, string $body) => print "<!doctype html><html lang='en'><title>$title</title><h1>$title</h1>$body";

// The backend of this CMS: its pages, and the answers to its forms and to the panel.
$route = $_SERVER['REQUEST_METHOD'] . ' ' . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($route === 'POST /statement') {
    header('Content-Type: application/json', response_code: $user ? 200 : 401);
    echo json_encode($user ? ['token' => $chat->statement($user->id, session_id())] : []);
} elseif ($route === 'POST /login' || $route === 'POST /logout') {
    if ($route === 'POST /logout' && $user) {
        $chat->end($user->id, session_id());
    }
    session_regenerate_id(true);
    $_SESSION = ['user' => $route === 'POST /login' ? (int) $_GET['uid'] : 0];
    header('Location: /edit', response_code: 303);
} elseif ($route === 'POST /save' && $entry?->mayEdit) {
    $change = new Change('articles', $entry->id, array_intersect_key($_POST, ['title' => 1, 'body' => 1]), $_POST['version'], '');
    header("Location: /edit?uid=$entry->id", response_code: $cms->put($user, $change) ? 303 : 409);
} elseif ($route !== 'GET /edit') {
    http_response_code(404);
} elseif (!$user) {
    $show('Log in', implode(array_map(static fn (Person $one) => $form("/login?uid=$one->id", $one->name), $cms->users())));
} else {
    [$entries] = $cms->list($user, 'articles', 100, 0, null);
    $link = static fn (Entry $one) => "<li><a href='/edit?uid=$one->id'>{$escaped($one->values['title'])}</a></li>";
    $title = $escaped($entry?->values['title']);
    $inputs = "<input type='hidden' name='version' value='$entry?->version'><input name='title' aria-label='Title' value='$title'>"
        . "<textarea name='body' aria-label='Text'>{$escaped($entry?->values['body'])}</textarea>";
    $place = $entry ? ['page' => $entry->id, 'table' => 'articles', 'title' => $entry->values['title']] : [];
    $shown = ['sessionUrl' => '/statement', 'recordHref' => '/edit?table={table}&uid={uid}', 'toggle' => '#chat'] + $place;
    $body = $entry ? $form("/save?uid=$entry->id", 'Save', $inputs) : '<ul>' . implode(array_map($link, $entries)) . '</ul>';
    $show($title ?: 'Articles', "$body<button type='button' id='chat'>AI chat</button>{$form('/logout', 'Log out')}{$chat->tag(...$shown)}");
}
