<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A change that a user approved: new values of a record, or a new record. */
final class Change
{
    /**
     * @param int|string|null $id Null: a new record.
     * @param array<string, mixed> $values Whole values by field; fields that are absent stay.
     * @param string $version The version that the user has seen; empty for a new record.
     * @param string $run The turn of the chat, for the history of the CMS; empty where it is only shown.
     */
    public function __construct(
        public readonly string $type,
        public readonly int|string|null $id,
        public readonly array $values,
        public readonly string $version,
        public readonly string $run,
    ) {
    }
}
