<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A change that a user approved: new values of a record, or a new record. */
final class Change
{
    /**
     * @param int|string|null $id Null for a new record.
     * @param array<string, mixed> $values Complete values by field; a field that is absent stays unchanged.
     * @param string $version The version that the user has seen; empty for a new record.
     * @param string $run The id of the chat's turn, for the history of the CMS; empty for a preview.
     */
    public function __construct(
        public readonly string $type,
        public readonly int|string|null $id,
        public readonly array $values,
        public readonly string $version,
        public readonly string $run,
    ) {}
}
