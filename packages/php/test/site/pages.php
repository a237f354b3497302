<?php

// A CMS with a page tree, texts as ids and pictures, whose pages are always the same.
declare(strict_types=1);

use BackendAiChat\{Adapter, Change, Chat, Entry, Field, Keys, PdoKeys, Person, Refused, Type};

require getenv('KIT');

final class Pages extends Adapter
{
    private const PAGES = ['home' => ['Home', null], 'shop' => ['Shop', 'home'], 'lamps' => ['Lamps', 'shop'], 'blog' => ['Blog', 'home']];

    public string $name = 'Pages';
    public string $version = '1';
    public string $ids = 'string';
    public string $userIds = 'string';
    public ?array $publishing = ['field' => 'status', 'shown' => ['live'], 'hidden' => 'draft'];
    public ?array $tree = ['type' => 'pages', 'parent' => 'parent'];

    public function keys(): Keys
    {
        return (new PdoKeys(new PDO('sqlite:' . __DIR__ . '/pages.sqlite')))->install();
    }

    public function user(int|string $id): ?Person
    {
        return $id === 'u-anna' ? new Person($id, 'anna', 'Anna', false, ['editor']) : null;
    }

    public function types(?Person $user): array
    {
        $status = new Field('status', 'Status', 'select', options: ['draft', 'live']);
        $parent = new Field('parent', 'Page above', 'relation');
        $fields = [new Field('title', 'Title', 'text'), $status, $parent, new Field('since', 'Since', 'date')];
        return [new Type('pages', 'Pages', 'title', $fields), new Type('tags', 'Tags', 'title', [$fields[0]])];
    }

    public function read(Person $user, string $type, int|string $id): ?Entry
    {
        [$title, $parent] = self::PAGES[$id] ?? [null, null];
        $values = ['title' => $title, 'status' => 'live', 'parent' => $parent];
        return $title === null ? null : new Entry($type, $id, '1', new DateTimeImmutable('@0'), $values, true);
    }

    public function list(Person $user, string $type, int $limit, int $offset, int|string|null $below): array
    {
        $all = array_map(fn (string $id) => $this->read($user, $type, $id), array_keys(self::PAGES));
        $found = array_values(array_filter($all, static fn (Entry $one) => $below === null || $one->values['parent'] === $below));
        return [$found, count($found)];
    }

    public function search(Person $user, string $text, ?string $type, int $limit): array
    {
        return [];
    }

    public function put(Person $user, Change $change): ?Entry
    {
        throw new Refused('The house is closed.');
    }

    public function files(Person $user, Entry $entry): array
    {
        $sizes = ['home' => [['image/png', 10], ['image/jpeg', 20], ['image/png', 3_000_001]], 'shop' => [['image/png', 3_000_001]], 'lamps' => [['application/pdf', 10]]];
        return array_map(
            static fn (array $size) => ['type' => $size[0], 'bytes' => $size[1], 'read' => static fn () => chr($size[1])],
            $sizes[$entry->id] ?? [],
        );
    }
}

$chat = new Chat(new Pages(), (string) getenv('CODE'), "http://127.0.0.1:{$_SERVER['SERVER_PORT']}");
if (!$chat->handle()) {
    http_response_code(404);
}
