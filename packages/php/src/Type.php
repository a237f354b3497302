<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A type of records. */
final class Type
{
    /**
     * @param string $label Its name for people, in the plural.
     * @param string $title The name of the field that names a record to people.
     * @param list<Field> $fields Those that the user may read.
     * @param bool $mayModify True: the user may make and change records of it. For all users together it has no meaning.
     */
    public function __construct(
        public readonly string $name,
        public readonly string $label,
        public readonly string $title,
        public readonly array $fields,
        public readonly bool $mayModify = true,
    ) {
    }

    /** The field of a name; null: there is none. */
    public function field(?string $name): ?Field
    {
        return array_column($this->fields, null, 'name')[$name] ?? null;
    }

    /** @return array<string, mixed> The type as the stage knows types. */
    public function described(): array
    {
        $fields = array_map(static fn (Field $field) => $field->described(), $this->fields);
        return ['name' => $this->name, 'label' => $this->label, 'fields' => $fields, 'mayModify' => $this->mayModify];
    }
}
