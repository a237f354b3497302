<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A type of records. */
final class Type
{
    /**
     * @param string $label The plural name of the type for people.
     * @param string $title The name of the field that contains a record's title.
     * @param list<Field> $fields The fields that the user may read.
     * @param bool $mayModify True if the user may create and change records of this type. It has no meaning in
     * `types(null)`.
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        public readonly string $title,
        public readonly array $fields,
        public readonly bool $mayModify = true,
    ) {}

    /** Returns the field with a name; null if there is none. */
    public function field(?string $name): ?Field
    {
        return array_column($this->fields, null, 'name')[$name] ?? null;
    }

    /** @return array<string, mixed> The type in the form of the bridge. */
    public function described(): array
    {
        $fields = array_map(static fn (Field $field) => $field->described(), $this->fields);
        return ['name' => $this->name, 'label' => $this->label, 'fields' => $fields, 'mayModify' => $this->mayModify];
    }
}
