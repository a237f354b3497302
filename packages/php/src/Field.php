<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A field of a type. */
final class Field
{
    /**
     * @param string $kind One of `text`, `longtext`, `html`, `blocks`, `number`, `boolean`, `date`, `select`, `relation`, `media`.
     * @param int|null $max The maximum number of characters of a text.
     * @param list<string>|null $options The allowed values of a select.
     * @param string|null $target The type to which a relation points.
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
    ) {}

    /**
     * Returns the value as the CMS stores it. Throws Refused for a value of another kind.
     *
     * @param bool $isUndo True if a required field may become empty again, as before the undone change.
     */
    public function keep(mixed $value, bool $isUndo = false): mixed
    {
        $isEmpty = in_array($value, [null, '', []], true);
        Refused::when($this->readOnly, "The user may not change the field $this->name.");
        Refused::when($isEmpty && $this->required && !$isUndo, "The field $this->name has to have a value.");
        if ($value === null) {
            return null;
        }
        [$takes, $fits] = $this->rule();
        Refused::when(!$fits($value), "The field $this->name takes $takes.");
        $length = is_string($value) ? preg_match_all('/./us', $value) : 0;
        Refused::when($this->max !== null && $length > $this->max, "The field $this->name takes at most $this->max characters; these are $length.");
        return $this->kind === 'date' ? Entry::time(new \DateTimeImmutable($value)) : $value;
    }

    /**
     * @return array{string, callable(mixed): bool} The allowed values in words for the model, and the check of a value.
     */
    private function rule(): array
    {
        $options = $this->options ?? [];
        $isId = static fn (mixed $value) => is_int($value) || is_string($value);
        return match ($this->kind) {
            'html' => ['HTML', is_string(...)],
            'blocks' => ['a list', static fn (mixed $value) => is_array($value) && array_is_list($value)],
            'number' => ['a number', static fn (mixed $value) => is_int($value) || is_float($value)],
            'boolean' => ['true or false', is_bool(...)],
            'date' => ['a time in ISO 8601', Entry::isTime(...)],
            'select' => ['one of these: ' . implode(', ', $options), static fn (mixed $value) => in_array($value, $options, true)],
            'relation' => ['the id of a record, or several', static fn (mixed $value) => array_filter((array) $value, $isId) === (array) $value],
            'media' => ['the id of a file', $isId],
            default => ['a text', is_string(...)],
        };
    }

    /** @return array<string, mixed> The field in the form of the bridge. */
    public function described(): array
    {
        $all = get_object_vars($this);
        return array_filter($all, static fn (mixed $value, string $name) => $value !== null || $name === 'max', ARRAY_FILTER_USE_BOTH);
    }
}
