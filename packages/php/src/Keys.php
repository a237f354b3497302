<?php

declare(strict_types=1);

namespace BackendAiChat;

/** Named texts of the kit, in a table with a unique name. They hold nonces and the ends of changes. */
interface Keys
{
    /**
     * Adds a text in one step; false where its name is there, after a wait for a transaction that adds it. It may go after
     * `$until`, in seconds since the epoch. A name has up to 700 characters.
     */
    public function add(string $name, string $text, int $until): bool;

    /** The text of a name; null: there is no such name. */
    public function read(string $name): ?string;

    public function set(string $name, string $text): void;

    public function remove(string $name): void;

    /**
     * Runs in one transaction, that of the records, and answers what it answers: on an error nothing of it is stored. A CMS
     * without transactions just runs it; a crash may then leave a change whose end is unknown.
     *
     * @template T
     * @param callable(): T $run
     * @return T
     */
    public function transaction(callable $run): mixed;
}
