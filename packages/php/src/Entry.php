<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A record without the fields that the user may not read. */
final class Entry
{
    /**
     * @param string $version A text that differs after every change of the record, by any user.
     * @param array<string, mixed> $values By field.
     * @param bool $mayEdit True if the user may change the record now.
     * @param list<string> $addresses The paths at which visitors open the record, each starting with `/`.
     */
    public function __construct(
        public readonly string $type,
        public readonly int|string $id,
        public readonly string $version,
        public readonly \DateTimeInterface $changedAt,
        public readonly array $values,
        public readonly bool $mayEdit,
        public readonly array $addresses = [],
    ) {}

    /** Returns a time in the form of the bridge. */
    public static function time(\DateTimeInterface $time): string
    {
        return gmdate('Y-m-d\TH:i:s', $time->getTimestamp()) . $time->format('.v\Z');
    }

    /** True for a time in ISO 8601. PHP alone also reads words such as `tomorrow`. */
    public static function isTime(mixed $value): bool
    {
        $pattern = '/^[1-9]\d{3}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/D';
        return is_string($value) && preg_match($pattern, $value) && strtotime($value) !== false;
    }

    /** Returns the same record with other values. @param array<string, mixed> $values */
    public function with(array $values): self
    {
        return new self($this->type, $this->id, $this->version, $this->changedAt, $values + $this->values, $this->mayEdit, $this->addresses);
    }
}
