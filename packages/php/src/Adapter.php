<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * The functions of a CMS, written by its author. A method with a `$user` applies that user's rights at the time of the
 * call. A method that is not abstract is optional; without it, the chat does not offer the related feature.
 */
abstract class Adapter
{
    public string $name;
    public string $version;
    /** The kinds of the ids of records and of users: `number` or `string`. */
    public string $ids = 'number';
    public string $userIds = 'number';
    /**
     * The field that decides if visitors see a record. `shown`: its values for visible records. `hidden`: its value for
     * new records. The assistant creates no records of a type without this field.
     *
     * @var array{field: string, shown: list<string>, hidden: string}|null
     */
    public ?array $publishing = null;
    /**
     * The type whose records are the page tree, and its field with the id of the parent page; null if the CMS has no
     * tree. The tree has only the first 5,000 pages of `list`; the other tools find later pages too.
     *
     * @var array{type: string, parent: string}|null
     */
    public ?array $tree = null;
    /**
     * The origins at which visitors open the site; if null, records have no addresses.
     *
     * @var list<string>|null
     */
    public ?array $origins = null;

    /** Returns the store of keys that are valid once. */
    abstract public function keys(): Keys;

    /** Returns the current data of a user; null if the user is deleted or disabled. */
    abstract public function user(int|string $id): ?Person;

    /**
     * Returns the types that a user may read; all types if `$user` is null.
     *
     * @return list<Type>
     */
    abstract public function types(?Person $user): array;

    /** Returns a record; null if it does not exist or the user may not see it. */
    abstract public function read(Person $user, string $type, int|string $id): ?Entry;

    /**
     * Returns a part of a type's records in a stable order, and the number of records that the user sees. With
     * `$below`, only the pages directly below that page count.
     *
     * @return array{list<Entry>, int}
     */
    abstract public function list(Person $user, string $type, int $limit, int $offset, int|string|null $below): array;

    /**
     * Returns the records that have every word of the text, the newest change first; only records of `$type` if given.
     *
     * @return list<Entry>
     */
    abstract public function search(Person $user, string $text, ?string $type, int $limit): array;

    /**
     * Stores a change with the CMS's functions in one atomic step, if the record still has the change's version.
     * Returns the new state of the record; null if another change was earlier. Throws Refused, for example for a
     * missing right.
     */
    abstract public function put(Person $user, Change $change): ?Entry;

    /**
     * Returns the values as the CMS would store them, and stores nothing. Throws Refused like `put`.
     *
     * @return array<string, mixed>
     */
    public function check(Person $user, Change $change): array
    {
        return $change->values;
    }

    /**
     * Deletes a record that an undo removes; returns false if another change was earlier. Without this method, such
     * records stay.
     */
    public function remove(Person $user, Entry $entry): bool
    {
        return false;
    }

    /**
     * Returns the file of a record in its sizes, for models with vision; `read` returns its content. Without this
     * method, no record has files.
     *
     * @return list<array{type: string, bytes: int, read: callable(): ?string}>
     */
    public function files(Person $user, Entry $entry): array
    {
        return [];
    }

    /**
     * Returns all users, for administrators.
     *
     * @return list<Person>
     */
    public function users(): array
    {
        return [];
    }

    /** True if the author of the CMS wrote this method. */
    final public function has(string $method): bool
    {
        return (new \ReflectionMethod($this, $method))->getDeclaringClass()->getName() !== self::class;
    }
}
