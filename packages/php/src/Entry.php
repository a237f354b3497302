<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A record as a user may see it: without the fields that they may not read. */
final class Entry
{
    /**
     * @param string $version Differs after every change of the record, whoever made it.
     * @param array<string, mixed> $values By field.
     * @param bool $mayEdit True: the user may change it now.
     * @param list<string> $addresses Paths at which visitors open it, each beginning with `/`.
     */
    public function __construct(
        public readonly string $type,
        public readonly int|string $id,
        public readonly string $version,
        public readonly \DateTimeInterface $changedAt,
        public readonly array $values,
        public readonly bool $mayEdit,
        public readonly array $addresses = [],
    ) {
    }

    /** A time as the bridge writes it. */
    public static function time(\DateTimeInterface $time): string
    {
        return gmdate('Y-m-d\TH:i:s', $time->getTimestamp()) . $time->format('.v\Z');
    }

    /** The same record with other values. @param array<string, mixed> $values */
    public function with(array $values): self
    {
        return new self($this->type, $this->id, $this->version, $this->changedAt, $values + $this->values, $this->mayEdit, $this->addresses);
    }
}
