<?php

declare(strict_types=1);

namespace BackendAiChat;

/** The records of a CMS in the form of the bridge, for one user. */
final class Records
{
    /** The maximum number of pages that one question reads. */
    private const MAX_PAGES = 5_000;
    /** The maximum size of a picture in bytes, and the picture types that models accept. */
    private const MAX_PICTURE = 3_000_000;
    private const SEEN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

    /** @var array<string, Type> The types that the user may read, by name. */
    public readonly array $types;

    public function __construct(private readonly Adapter $adapter, public readonly Person $user)
    {
        $this->types = array_column($adapter->types($user), null, 'name');
    }

    /** @return array<string, mixed>|null The record; null for no entry, and for a type that the user may not read. */
    public function of(?Entry $entry): ?array
    {
        $type = $entry ? $this->types[$entry->type] ?? null : null;
        if (!$type) {
            return null;
        }
        ['publishing' => $publishing, 'tree' => $tree] = get_object_vars($this->adapter);
        $state = $entry->values[$publishing['field'] ?? ''] ?? null;
        return [
            'table' => $type->name,
            'uid' => $entry->id,
            'pid' => $tree && $tree['type'] === $type->name ? $entry->values[$tree['parent']] ?? 0 : 0,
            'title' => (string) ($entry->values[$type->title] ?? '') ?: "[$entry->id]",
            'hidden' => $state !== null && !in_array($state, $publishing['shown'], true),
            'language' => 0,
            'fields' => $entry->values,
            'addresses' => $entry->addresses,
            'changedAt' => Entry::time($entry->changedAt),
            'version' => $entry->version,
            'mayEdit' => $entry->mayEdit,
        ];
    }

    /**
     * @param list<Entry> $entries
     * @return list<array<string, mixed>>
     */
    public function all(array $entries): array
    {
        return array_values(array_filter(array_map($this->of(...), $entries)));
    }

    /** @return array<string, mixed>|null A page of the tree as a record; null for the uid 0, which means "no page". */
    public function pageRecord(int|string $uid): ?array
    {
        $tree = $this->adapter->tree;
        return $tree && $uid !== 0 ? $this->of($this->adapter->read($this->user, $tree['type'], $uid)) : null;
    }

    /**
     * @return array<string, mixed>|null A page with its path from the topmost page; null if the user sees no such page.
     */
    public function page(int|string $uid): ?array
    {
        $record = $this->pageRecord($uid);
        $path = [];
        for ($page = $record; $page && !in_array($page['uid'], array_column($path, 'uid'), true); $page = $this->pageRecord($page['pid'])) {
            array_unshift($path, ['uid' => $page['uid'], 'title' => $page['title']]);
        }
        $more = ['parent' => $record['pid'] ?? 0, 'path' => $path, 'slug' => '', 'changedBy' => null];
        return $record ? $more + array_diff_key($record, ['fields' => 1, 'pid' => 1]) : null;
    }

    /** @return list<array<string, mixed>> The pages below `$root` (0 for the whole site), by title. */
    public function tree(int|string $root, int $depth, int $limit): array
    {
        $type = $this->adapter->tree['type'] ?? '';
        $entries = isset($this->types[$type]) ? $this->adapter->list($this->user, $type, self::MAX_PAGES, 0, null)[0] : [];
        $pages = $this->all($entries);
        usort($pages, static fn (array $one, array $other) => strcasecmp($one['title'], $other['title']));
        return self::treeOf($pages, $root, $depth, $limit);
    }

    /**
     * Returns pages as a tree, in their order. Leaves out a page whose parent is not in the list.
     *
     * @param list<array<string, mixed>> $pages Each page has its parent page as `pid`.
     * @return list<array<string, mixed>>
     */
    public static function treeOf(array $pages, int|string $root, int $depth, int $limit): array
    {
        $below = [];
        foreach ($pages as $page) {
            $below[$page['pid']][] = $page;
        }
        return array_slice(self::branch($below, $root, 1, $depth), 0, $limit);
    }

    /**
     * @param array<int|string, list<array<string, mixed>>> $below The pages by their parent page.
     * @return list<array<string, mixed>>
     */
    private static function branch(array $below, int|string $parent, int $at, int $depth): array
    {
        $branch = [];
        foreach ($at > $depth ? [] : $below[$parent] ?? [] as $page) {
            $known = array_intersect_key($page, ['uid' => 1, 'title' => 1, 'hidden' => 1, 'mayEdit' => 1]);
            $branch[] = $known + ['parent' => $parent, 'depth' => $at, 'hasChildren' => isset($below[$page['uid']])];
            array_push($branch, ...self::branch($below, $page['uid'], $at + 1, $depth));
        }
        return $branch;
    }

    /** @return array{state: string, base64?: string}|null The largest size of a picture that may be sent. */
    public function picture(string $table, int|string $uid): ?array
    {
        $entry = isset($this->types[$table]) ? $this->adapter->read($this->user, $table, $uid) : null;
        if (!$entry) {
            return null;
        }
        $files = $this->adapter->files($this->user, $entry);
        usort($files, static fn (array $one, array $other) => $other['bytes'] <=> $one['bytes']);
        return self::pictureOf($files);
    }

    /**
     * Returns the first file that is a picture and may be sent.
     *
     * @param list<array{type: string, bytes: int, read: callable(): ?string}> $files
     * @return array{state: string, base64?: string}
     */
    public static function pictureOf(array $files): array
    {
        $pictures = array_filter($files, static fn (array $file) => in_array($file['type'], self::SEEN, true));
        $fitting = array_filter($pictures, static fn (array $file) => $file['bytes'] <= self::MAX_PICTURE);
        foreach ($fitting as ['read' => $read]) {
            $content = $read();
            if ($content !== null && strlen($content) <= self::MAX_PICTURE) {
                return ['state' => 'there', 'base64' => base64_encode($content)];
            }
        }
        return ['state' => $pictures && !$fitting ? 'tooLarge' : 'none'];
    }
}
