<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A field of a type. */
final class Field
{
    /**
     * @param string $kind One of `text`, `longtext`, `html`, `blocks`, `number`, `boolean`, `date`, `select`, `relation`, `media`.
     * @param int|null $max The most characters of a text.
     * @param list<string>|null $options The values of a select.
     * @param string|null $target The type that a relation points at.
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        public readonly string $kind,
        public readonly bool $required = false,
        public readonly ?int $max = null,
        public readonly bool $readOnly = false,
        public readonly ?array $options = null,
        public readonly ?string $target = null,
    ) {
    }

    /**
     * The value as the CMS stores it. Throws Refused for one of another kind.
     *
     * @param bool $isUndo True: what was empty before may be empty again.
     */
    public function keep(mixed $value, bool $isUndo = false): mixed
    {
        $isEmpty = in_array($value, [null, '', []], true);
        Refused::when($this->readOnly, "The user may not change the field $this->name.");
        Refused::when($isEmpty && $this->required && !$isUndo, "The field $this->name has to have a value.");
        if ($value === null) {
            return null;
        }
        Refused::when(!$this->fits($value), "The field $this->name takes {$this->takes()}.");
        $length = is_string($value) ? preg_match_all('/./us', $value) : 0;
        Refused::when($this->max !== null && $length > $this->max, "The field $this->name takes at most $this->max characters; these are $length.");
        return $this->kind === 'date' ? Entry::time(new \DateTimeImmutable($value)) : $value;
    }

    private function takes(): string
    {
        return match ($this->kind) {
            'html' => 'HTML',
            'blocks' => 'a list',
            'number' => 'a number',
            'boolean' => 'true or false',
            'date' => 'a time in ISO 8601',
            'select' => 'one of these: ' . implode(', ', $this->options ?? []),
            'relation' => 'the id of a record, or several',
            'media' => 'the id of a file',
            default => 'a text',
        };
    }

    private function fits(mixed $value): bool
    {
        $isId = static fn (mixed $one) => is_int($one) || is_string($one);
        return match ($this->kind) {
            'blocks' => is_array($value) && array_is_list($value),
            'number' => is_int($value) || is_float($value),
            'boolean' => is_bool($value),
            'date' => is_string($value) && strtotime($value) !== false,
            'select' => in_array($value, $this->options ?? [], true),
            'relation' => array_filter((array) $value, $isId) === (array) $value,
            'media' => $isId($value),
            default => is_string($value),
        };
    }

    /** @return array<string, mixed> The field as the stage knows fields. */
    public function described(): array
    {
        $all = get_object_vars($this);
        return array_filter($all, static fn (mixed $value, string $name) => $value !== null || $name === 'max', ARRAY_FILTER_USE_BOTH);
    }
}
