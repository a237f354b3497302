<?php

declare(strict_types=1);

namespace BackendAiChat;

/** The operations of the bridge on the adapter of a CMS. */
final class AdapterCms implements Cms
{
    private Records $records;

    public function __construct(private readonly Adapter $adapter) {}

    public function greeting(): array
    {
        return array_intersect_key(get_object_vars($this->adapter), ['name' => 1, 'version' => 1, 'ids' => 1, 'userIds' => 1]);
    }

    public function act(int|string $user): bool
    {
        $person = $this->adapter->user($user);
        if ($person) {
            $this->records = new Records($this->adapter, $person);
        }
        return $person !== null;
    }

    public function ask(string $operation, array $question): mixed
    {
        return match ($operation) {
            'capabilities' => $this->capabilities(),
            'user' => $question['uid'] === 0 ? null : $this->adapter->user($question['uid'])?->actor(),
            'languages', 'log', 'abilities' => [],
            'history' => null,
            'page' => $this->records->page(...$question),
            'pageTree' => $this->records->tree(...$question),
            'pageContent' => $this->records->pageRecord(...$question) ? [] : null,
            'tables' => array_map(static fn (Type $type) => $type->described(), array_values($this->records->types)),
            'search' => $this->search(...$question),
            'list' => $this->list(...$question),
            'record' => $this->record(...$question),
            'picture' => $this->records->picture(...$question),
            'users' => $this->records->user->isAdmin ? array_map(self::listed(...), $this->adapter->users()) : [],
            'facts' => $this->records->user->isAdmin ? [$this->adapter->name => $this->adapter->version] : [],
            'put' => (new Put($this->adapter, $this->records))->answer($question),
            'settle' => (new Put($this->adapter, $this->records))->settle(...$question),
            default => throw new Refused('This CMS has no such function.'),
        };
    }

    /** @return list<array<string, mixed>> */
    private function search(string $text, ?string $table, int $limit): array
    {
        return $this->records->all($this->adapter->search($this->records->user, $text, $table, $limit));
    }

    /** @return array{records: list<array<string, mixed>>, total: int}|null */
    private function list(string $table, int|string|null $page, int $limit, int $offset): ?array
    {
        if (!isset($this->records->types[$table])) {
            return null;
        }
        $isOfPages = $page === null || $table === ($this->adapter->tree['type'] ?? null);
        [$entries, $total] = $isOfPages ? $this->adapter->list($this->records->user, $table, $limit, $offset, $page) : [[], 0];
        return ['records' => $this->records->all($entries), 'total' => $total];
    }

    /** @return array<string, mixed>|null */
    private function record(string $table, int|string $uid, ?string $revision): ?array
    {
        $isThere = $revision === null && isset($this->records->types[$table]);
        return $isThere ? $this->records->of($this->adapter->read($this->records->user, $table, $uid)) : null;
    }

    /** @return array<string, mixed> */
    private static function listed(Person $user): array
    {
        $more = ['groups' => array_map('strval', $user->groups), 'disabled' => $user->disabled, 'lastLogin' => null];
        return $more + $user->actor();
    }

    /** @return array<string, mixed> */
    private function capabilities(): array
    {
        ['publishing' => $publishing, 'tree' => $tree, 'origins' => $origins] = get_object_vars($this->adapter);
        $types = $this->adapter->types(null);
        $names = array_column($types, 'name');
        $withDrafts = array_filter($types, static fn (Type $type) => $publishing && $type->field($publishing['field']));
        $hasFiles = $this->adapter->has('files');
        return $this->greeting() + [
            'types' => array_map(static fn (Type $type) => $type->described(), $types),
            'tree' => $tree ? ['pages' => $tree['type'], 'content' => null] : null,
            'home' => null,
            'locales' => 'none',
            'states' => $publishing ? [$publishing['hidden'], ...$publishing['shown']] : [],
            'publishing' => $publishing ? ['field' => $publishing['field'], 'states' => $publishing['shown'], 'draft' => null] : null,
            'writes' => ['create' => array_column($withDrafts, 'name'), 'remove' => $this->adapter->has('remove') ? $names : []],
            'addresses' => $origins ? ['origins' => $origins, 'types' => $names] : null,
            'media' => $hasFiles,
            'pictures' => $hasFiles,
            'users' => $this->adapter->has('users'),
            'compareAndSet' => true,
        ] + array_fill_keys(['history', 'revisions', 'locks', 'log', 'exceptions', 'abilities', 'parts'], false);
    }
}
