<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * A store of texts by unique name, such as a table with a unique column. It contains nonces and the results of changes.
 */
interface Keys
{
    /**
     * Adds a text in one atomic step; returns false if the name exists. If an open transaction is adding the same name,
     * waits for its end. The text may be deleted after `$until`, in seconds since the epoch. A name has up to 700
     * characters.
     */
    public function add(string $name, string $text, int $until): bool;

    /** Returns the text that is stored under a name; null if there is none. */
    public function read(string $name): ?string;

    public function set(string $name, string $text): void;

    public function remove(string $name): void;

    /**
     * Runs `$run` in one transaction together with the records, and returns its result; an error stores nothing. A CMS
     * without transactions just calls `$run`; a crash may then leave a change with an unknown result.
     *
     * @template T
     * @param callable(): T $run
     * @return T
     */
    public function transaction(callable $run): mixed;
}
