<?php

declare(strict_types=1);

namespace BackendAiChat;

/** The CMS end of the bridge: checks the request, acts as its user for this request alone, and lets the CMS decide. */
final class Bridge
{
    /** The form of what is sent and kept. */
    public const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

    /** The most bytes of an answer. */
    private const MAX_BYTES = 4 * 1024 * 1024;
    /** Operations that act for no user; each call of a batch is asked for its own. */
    private const ANONYMOUS = ['batch', 'capabilities', 'user', 'languages'];
    /** Operations that are no part of a batch. */
    private const ALONE = ['hello', 'batch', 'settle'];

    private readonly Questions $questions;
    /** @var array{name: string, version: string, ids: string, userIds: string, outgoing?: bool} */
    private readonly array $greeting;
    private int|string $user = 0;
    private ?bool $isActing = null;

    public function __construct(private readonly Cms $cms, private readonly Line $line, private readonly Keys $keys)
    {
        $this->greeting = $cms->greeting() + ['ids' => 'number', 'userIds' => 'number'];
        $this->questions = new Questions(['record' => $this->greeting['ids'], 'user' => $this->greeting['userIds']]);
    }

    /**
     * Answers a request with a status and the body, which is yet to be written as JSON.
     *
     * @param array<string, string|list<string>> $headers Their names in any case, also with `_` for `-`.
     * @param string $body The bytes as they came.
     * @return array{int, array<string, mixed>}
     */
    public function answer(string $operation, array $headers, string $body): array
    {
        try {
            [$pairing, $this->user] = $this->line->check($operation, $headers, $body, $this->keys);
            $this->isActing = null;
            $input = json_decode($body, true);
            [$status, $answer] = match ($operation) {
                'hello' => [200, ['result' => $this->greet($pairing)]],
                'batch' => [200, ['result' => $this->batch($input)]],
                default => $this->one($operation, $input),
            };
            if (strlen(json_encode($answer, self::JSON)) > self::MAX_BYTES) {
                throw new Refused('The answer would be longer than 4 MB. Ask for less.', 'answer.tooLarge');
            }
            return [$status, $answer];
        } catch (Refused $refused) {
            return [$refused->status(), $refused->body()];
        }
    }

    /** @return array<string, mixed> This CMS's view of itself and of the line. */
    private function greet(Pairing $pairing): array
    {
        $line = ['base' => $this->line->base, 'time' => (int) (microtime(true) * 1_000), 'keyId' => $pairing->keyId, 'protocols' => [2]];
        return $line + array_diff_key($this->greeting, ['ids' => 1, 'userIds' => 1]);
    }

    /**
     * Runs the calls one after the other; a refused call does not stop the next one.
     *
     * @return list<array<string, mixed>>
     */
    private function batch(mixed $input): array
    {
        ['calls' => $calls] = $this->questions->read('batch', $input);
        return array_map(function (array $call): array {
            ['operation' => $operation, 'input' => $input] = $call;
            $isChange = ($operation === 'put' && ($input['dry'] ?? null) !== true) || ($operation === 'ability' && isset($input['key']));
            $isAlone = $isChange || in_array($operation, self::ALONE, true);
            return $isAlone ? (new Refused("$operation is asked alone.", 'request.invalid'))->body() : $this->one($operation, $input)[1];
        }, $calls);
    }

    /**
     * The status and the body of one call.
     *
     * @return array{int, array<string, mixed>}
     */
    private function one(string $operation, mixed $input): array
    {
        try {
            $question = $this->questions->read($operation, $input);
            if (!in_array($operation, self::ANONYMOUS, true) && !$this->acts()) {
                throw new Refused('There is no such user, or not now.', 'user.unknown');
            }
            return [200, ['result' => $this->cms->ask($operation, $question)]];
        } catch (Refused $refused) {
            return [$refused->status(), $refused->body()];
        }
    }

    /** True if the user of the request acts, whose id is of the kind that the CMS has. */
    private function acts(): bool
    {
        $isKind = is_string($this->user) === ($this->greeting['userIds'] === 'string');
        return $this->isActing ??= $isKind && $this->user !== 0 && $this->cms->act($this->user);
    }
}
