<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * A CMS as its author describes it. Every method that has a user answers with their rights at that moment. A method that is
 * not abstract may be left out: the chat then does not offer what needs it.
 */
abstract class Adapter
{
    public string $name;
    public string $version;
    /** The kind of the ids of records, and of users: `number` or `string`. */
    public string $ids = 'number';
    public string $userIds = 'number';
    /**
     * The field that decides whether visitors see a record. A type without it gets no new records from the assistant.
     *
     * @var array{field: string, shown: list<string>, hidden: string}|null
     */
    public ?array $publishing = null;
    /**
     * The type whose records are the page tree, and its field with the id of the page above; null: there is no tree.
     *
     * @var array{type: string, parent: string}|null
     */
    public ?array $tree = null;
    /**
     * Origins under which visitors open the site; null: records have no addresses.
     *
     * @var list<string>|null
     */
    public ?array $origins = null;

    /** The store of keys that are used once. */
    abstract public function keys(): Keys;

    /** The user as the CMS knows them now; null when gone or disabled. */
    abstract public function user(int|string $id): ?Person;

    /**
     * The types that a user may read; null asks for all types.
     *
     * @return list<Type>
     */
    abstract public function types(?Person $user): array;

    /** A record; null where the user may not see it, or it is not there. */
    abstract public function read(Person $user, string $type, int|string $id): ?Entry;

    /**
     * A part of the records of a type in a stable order, and the number of all that the user may see; of the pages directly
     * below a page where `$below` is given.
     *
     * @return array{list<Entry>, int}
     */
    abstract public function list(Person $user, string $type, int $limit, int $offset, int|string|null $below): array;

    /**
     * The records with the text in a field, the newest change first; of one type where `$type` is given.
     *
     * @return list<Entry>
     */
    abstract public function search(Person $user, string $text, ?string $type, int $limit): array;

    /**
     * Stores a change with the functions of the CMS, if the record still has that version, in one step. Answers the new
     * state of the record; null where another change was first. Throws Refused, as for a missing right.
     */
    abstract public function put(Person $user, Change $change): ?Entry;

    /**
     * The values as the CMS would store them; nothing is stored. Throws Refused like `put`.
     *
     * @return array<string, mixed>
     */
    public function check(Person $user, Change $change): array
    {
        return $change->values;
    }

    /** Takes away a record that an undo removes; false where another change was first. Left out: such records stay. */
    public function remove(Person $user, Entry $entry): bool
    {
        return false;
    }

    /**
     * The file of a record in its sizes, for models with vision; `read` answers its content. Left out: no record has files.
     *
     * @return list<array{type: string, bytes: int, read: callable(): ?string}>
     */
    public function files(Person $user, Entry $entry): array
    {
        return [];
    }

    /**
     * All users, for administrators.
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
