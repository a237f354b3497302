<?php

declare(strict_types=1);

namespace BackendAiChat;

/** The puts of one user on the adapter of a CMS. */
final class Put
{
    private readonly Once $once;

    public function __construct(private readonly Adapter $adapter, private readonly Records $records)
    {
        $this->once = new Once($adapter->keys());
    }

    /**
     * Previews a put without a key; makes a put with a key only once. Throws Refused.
     *
     * @param array<string, mixed> $question
     * @return array<string, mixed>
     */
    public function answer(array $question): array
    {
        ['put' => $put, 'key' => $key, 'versions' => $versions] = $question;
        if ($key === null) {
            return $this->conflict($versions) ?? $this->show($put);
        }
        return $this->once->make($this->nameOf($key), fn () => $this->conflict($versions) ?? $this->make($put, $question['correlationId']));
    }

    /** @return array<string, mixed> The outcome of the put with a key; an unknown key becomes `void` permanently. */
    public function settle(string $key): array
    {
        return $this->once->settle($this->nameOf($key));
    }

    /** Returns the stored name of a key. It contains the user's id, so a key is valid only for its user. */
    private function nameOf(string $key): string
    {
        return "put:{$this->records->user->id}:$key";
    }

    /**
     * @param array<string, mixed> $put
     * @return array<string, mixed>
     */
    private function show(array $put): array
    {
        [$type, $before, $above, $change] = $this->plan($put, '');
        $basis = $before ?? new Entry($type->name, 0, '', new \DateTimeImmutable('@0'), [], true);
        $answer = $this->done($type, $before, $above, $change ? $basis->with($change->values) : null);
        return ['uid' => $before?->id, 'version' => $before->version ?? ''] + $answer;
    }

    /**
     * @param array<string, mixed> $put
     * @return array<string, mixed>
     */
    private function make(array $put, string $run): array
    {
        [$type, $before, $above, $change] = $this->plan($put, $run);
        if ($change && $before && array_replace($before->values, $change->values) === $before->values) {
            return $this->done($type, $before, $above, $before);
        }
        $after = $change ? $this->adapter->put($this->records->user, $change) : null;
        $isMade = $change ? $after !== null : $this->adapter->remove($this->records->user, $before);
        return $isMade ? $this->done($type, $before, $above, $after) : ['state' => 'conflict', 'table' => $type->name, 'uid' => $before->id ?? 0];
    }

    /**
     * Checks a put against the rights of the user and the fields of the type. Returns the type, the current record, the
     * parent page of a new record, and the change. Without a change, the put removes the record. Throws Refused.
     *
     * @param array<string, mixed> $put
     * @return array{Type, Entry|null, array<string, mixed>|null, Change|null}
     */
    private function plan(array $put, string $run): array
    {
        ['table' => $table, 'uid' => $uid] = $put;
        $isRemoval = $put['remove'] ?? false;
        $members = array_keys(array_diff_key($put, ['table' => 1, 'uid' => 1]));
        $allowed = match (true) {
            $uid === null => ['place', 'fields'],
            $isRemoval && $this->adapter->has('remove') => ['remove'],
            default => ['fields'],
        };
        Refused::when(array_diff($members, $allowed), 'This CMS takes no such change. Change the fields of the record.');
        $type = $this->records->types[$table] ?? throw new Refused("There is no type $table. list_tables names the types.");
        $before = $uid === null ? null : $this->adapter->read($this->records->user, $table, $uid);
        Refused::when($uid !== null && !$before, "There is no record $uid in $table.");
        Refused::when(!($before->mayEdit ?? $type->mayModify), "The user may not change this in $table.");
        if ($isRemoval) {
            return [$type, $before, null, null];
        }
        $page = $put['place']['pid'] ?? 0;
        $above = $this->adapter->tree && $this->adapter->tree['type'] === $table ? $this->records->pageRecord($page) : null;
        Refused::when($page !== 0 && !$above, "There is no page $page.");
        $placed = ($before ? [] : $this->hiddenValues($type)) + ($above ? [$this->adapter->tree['parent'] => $above['uid']] : []);
        $values = $placed + $this->values($type, $put['fields'] ?? [], str_ends_with($run, '/undo'));
        $checked = $this->adapter->check($this->records->user, new Change($table, $uid, $values, $before->version ?? '', $run));
        return [$type, $before, $above, new Change($table, $uid, $checked, $before->version ?? '', $run)];
    }

    /**
     * Returns the value that hides a new record from visitors. Throws Refused if the type has no such field.
     *
     * @return array<string, string>
     */
    private function hiddenValues(Type $type): array
    {
        $publishing = $this->adapter->publishing;
        Refused::when(!$type->field($publishing['field'] ?? null), "The assistant makes no new records of $type->name: the type has no drafts.");
        return [$publishing['field'] => $publishing['hidden']];
    }

    /**
     * Returns the wanted values in the form in which the CMS stores them. Throws Refused.
     *
     * @param array<string, mixed> $given
     * @return array<string, mixed>
     */
    private function values(Type $type, array $given, bool $isUndo): array
    {
        $kept = [];
        foreach ($given as $name => $value) {
            $field = $type->field((string) $name);
            $known = implode(', ', array_column($type->fields, 'name'));
            Refused::when(!$field, "There is no field $name in $type->name. Its fields are $known.");
            $kept[$name] = $field->keep($value, $isUndo);
        }
        return $kept;
    }

    /**
     * Returns a conflict for the first version that differs from the stored one; null if all are current.
     *
     * @param list<array{table: string, uid: int|string, version: string}> $versions
     * @return array<string, mixed>|null
     */
    private function conflict(array $versions): ?array
    {
        foreach ($versions as ['table' => $table, 'uid' => $uid, 'version' => $version]) {
            if ($this->adapter->read($this->records->user, $table, $uid)?->version !== $version) {
                return ['state' => 'conflict', 'table' => $table, 'uid' => $uid];
            }
        }
        return null;
    }

    /**
     * @param array<string, mixed>|null $above
     * @return array<string, mixed>
     */
    private function done(Type $type, ?Entry $before, ?array $above, ?Entry $after): array
    {
        [$old, $new] = [$this->records->of($before), $this->records->of($after)];
        $basis = $old ?? $above;
        $page = $basis ?? $new;
        return [
            'state' => 'done',
            'table' => $type->name,
            'uid' => $before->id ?? $after?->id,
            'version' => $after->version ?? '',
            'before' => $old ? ['record' => $old] : null,
            'after' => ['record' => $new],
            'labels' => array_column($type->fields, 'label', 'name'),
            'page' => $page && $page['uid'] ? ['uid' => $page['uid'], 'title' => $page['title']] : ['uid' => 0, 'title' => $type->label],
            'versions' => $basis ? [array_intersect_key($basis, ['table' => 1, 'uid' => 1, 'version' => 1])] : [],
        ];
    }
}
