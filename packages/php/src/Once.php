<?php

declare(strict_types=1);

namespace BackendAiChat;

/** Makes each put only once for its name, even if a request is repeated or aborted. */
final class Once
{
    /** The period for which the outcome of a put is kept, in seconds. */
    private const KEPT = 90 * 86_400;
    /**
     * The period in which a put without a transaction has to end, in seconds; after it, the put counts as abandoned.
     */
    private const PATIENCE = 60;
    private const VOID = ['state' => 'void'];

    public function __construct(private readonly Keys $keys) {}

    /**
     * Makes a put, and stores its outcome under a name; a repeated call with the name returns that outcome. If `$make`
     * throws, the name is removed.
     *
     * @param callable(): array<string, mixed> $make
     * @return array<string, mixed>
     */
    public function make(string $name, callable $make): array
    {
        $made = $this->keys->transaction(function () use ($name, $make): ?array {
            if (!$this->keys->add($name, json_encode(['begunAt' => time()]), time() + self::KEPT)) {
                return null;
            }
            try {
                $answer = $make();
                $this->keys->set($name, json_encode(self::brief($answer), Bridge::JSON));
                return $answer;
            } catch (\Throwable $error) {
                try {
                    $this->keys->remove($name);
                } catch (\Throwable) {
                    // PostgreSQL takes no statement after one that failed; the end of the transaction removes the key.
                }
                throw $error;
            }
        });
        return $made ?? $this->end($name);
    }

    /**
     * Returns the outcome of the put with this name. If the name is unknown, stores `void` under it permanently.
     *
     * @return array<string, mixed>
     */
    public function settle(string $name): array
    {
        return $this->make($name, static fn () => self::VOID);
    }

    /** @return array<string, mixed> The outcome under an existing name; waits for a put in progress. */
    private function end(string $name): array
    {
        for (;;) {
            $kept = json_decode($this->keys->read($name) ?? '', true) ?? self::VOID;
            if (isset($kept['state'])) {
                return $kept;
            }
            // The process of this put has died; only a put without a transaction leaves such a row.
            if (time() > $kept['begunAt'] + self::PATIENCE) {
                $this->keys->set($name, json_encode(self::VOID));
            }
            usleep(50_000);
        }
    }

    /**
     * Returns an outcome whose records contain only the fields that differ before and after the put.
     *
     * @param array<string, mixed> $answer
     * @return array<string, mixed>
     */
    private static function brief(array $answer): array
    {
        [$before, $after] = [$answer['before']['record'] ?? null, $answer['after']['record'] ?? null];
        foreach ($before && $after ? $before['fields'] : [] as $name => $value) {
            if ($value === ($after['fields'][$name] ?? null)) {
                unset($answer['before']['record']['fields'][$name], $answer['after']['record']['fields'][$name]);
            }
        }
        return $answer;
    }
}
