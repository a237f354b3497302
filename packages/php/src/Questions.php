<?php

declare(strict_types=1);

namespace BackendAiChat;

/** Checks the questions of the stage against the shapes of the protocol in `questions.json`. */
final class Questions
{
    /** @var array<string, array<string, mixed>> */
    private readonly array $shapes;

    /** @param array{record: string, user: string} $ids The kinds of ids in the CMS: `number` or `string`. */
    public function __construct(private readonly array $ids)
    {
        $this->shapes = json_decode((string) file_get_contents(__DIR__ . '/questions.json'), true);
    }

    /**
     * Returns the members of a question; an absent member is null. Throws Refused.
     *
     * @return array<string, mixed>
     */
    public function read(string $operation, mixed $input): array
    {
        $shape = $this->shapes[$operation] ?? throw new Refused("This version of the bridge has no operation $operation.", 'operation.unknown');
        $mistake = $this->mistake($shape, $input, $operation);
        Refused::when($mistake !== null, (string) $mistake, 'request.invalid');
        $names = array_merge(...array_map(static fn (array $form) => array_keys($form['properties'] ?? []), $shape['anyOf'] ?? [$shape]));
        return $input + array_fill_keys($names, null);
    }

    /**
     * Returns a sentence about the first member that does not match its shape; null if all members match.
     *
     * @param array<string, mixed> $shape
     */
    private function mistake(array $shape, mixed $value, string $name): ?string
    {
        if (isset($shape['anyOf'])) {
            $mistakes = array_map(fn (array $one) => $this->mistake($one, $value, $name), $shape['anyOf']);
            return in_array(null, $mistakes, true) ? null : $mistakes[0];
        }
        $types = (array) ($shape['type'] ?? 'any');
        $isOne = in_array($value, $shape['enum'] ?? [$shape['const'] ?? $value], true);
        if (!$isOne || !array_filter($types, fn (string $type) => $this->fits($type, $shape, $value))) {
            return "$name has to be of the type " . implode(' or ', $types) . '.';
        }
        return $this->mistakeInside($shape, $value, $name);
    }

    /** @param array<string, mixed> $shape */
    private function fits(string $type, array $shape, mixed $value): bool
    {
        $isBetween = static fn (int $size, string $least, string $most) => $size >= ($shape[$least] ?? $size) && $size <= ($shape[$most] ?? $size);
        return match ($type) {
            'any' => true,
            'null' => $value === null,
            'boolean' => is_bool($value),
            'number' => is_int($value) || is_float($value),
            'integer' => is_int($value) && $isBetween($value, 'minimum', 'maximum'),
            'string' => is_string($value) && strlen($value) >= ($shape['minLength'] ?? 0) && (!isset($shape['format']) || strtotime($value) !== false),
            'record', 'user' => $this->isId($value, $this->ids[$type]),
            'array' => is_array($value) && array_is_list($value) && $isBetween(count($value), 'minItems', 'maxItems'),
            'object' => is_array($value) && ($value === [] || !array_is_list($value)),
        };
    }

    /** @param array<string, mixed> $shape */
    private function mistakeInside(array $shape, mixed $value, string $name): ?string
    {
        foreach ($shape['required'] ?? [] as $member) {
            if (!array_key_exists($member, $value)) {
                return "$name.$member is missing.";
            }
        }
        foreach (isset($shape['items']) || isset($shape['properties']) ? $value : [] as $at => $inside) {
            $form = $shape['items'] ?? $shape['properties'][$at] ?? null;
            if ($form === null) {
                return "$name has no member $at.";
            }
            $mistake = $this->mistake($form, $inside, "$name.$at");
            if ($mistake !== null) {
                return $mistake;
            }
        }
        return null;
    }

    /** Returns true for an id of the CMS's kind; 0 means "no record" or "no user", and is valid for both kinds. */
    private function isId(mixed $value, string $kind): bool
    {
        $isText = is_string($value) && preg_match('/^[A-Za-z0-9_-][A-Za-z0-9_.~-]{0,127}$/', $value);
        return $value === 0 || ($kind === 'string' ? $isText : is_int($value) && $value > 0);
    }
}
