<?php

declare(strict_types=1);

namespace BackendAiChat;

/** The bridge in the CMS: checks each request, acts as its user only for this request, and lets the CMS decide. */
final class Bridge
{
    /** The JSON options for answers and stored texts. */
    public const JSON = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR;

    /** The maximum size of an answer in bytes. */
    private const MAX_BYTES = 4 * 1024 * 1024;
    /** Operations without an acting user; in a batch, each call is checked separately. */
    private const ANONYMOUS = ['batch', 'capabilities', 'user', 'languages'];
    /** Operations that a batch must not contain. */
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
     * Answers a request with a status and a body, which the caller encodes as JSON.
     *
     * @param array<string, string|list<string>> $headers The names may have any case, and `_` instead of `-`.
     * @param string $body The raw bytes of the request.
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
            $isTooLarge = strlen(json_encode($answer, self::JSON)) > self::MAX_BYTES;
            Refused::when($isTooLarge, 'The answer would be longer than 4 MB. Ask for less.', 'answer.tooLarge');
            return [$status, $answer];
        } catch (Refused $refused) {
            return [$refused->status(), $refused->body()];
        }
    }

    /** @return array<string, mixed> This CMS's data about itself and the connection. */
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
     * Returns the status and the body of one call.
     *
     * @return array{int, array<string, mixed>}
     */
    private function one(string $operation, mixed $input): array
    {
        try {
            $question = $this->questions->read($operation, $input);
            $isAllowed = in_array($operation, self::ANONYMOUS, true) || $this->acts();
            Refused::when(!$isAllowed, 'There is no such user, or not now.', 'user.unknown');
            return [200, ['result' => $this->cms->ask($operation, $question)]];
        } catch (Refused $refused) {
            return [$refused->status(), $refused->body()];
        }
    }

    /** True if the request has a valid user whose id is of the kind that the CMS uses. */
    private function acts(): bool
    {
        $isKind = is_string($this->user) === ($this->greeting['userIds'] === 'string');
        return $this->isActing ??= $isKind && $this->user !== 0 && $this->cms->act($this->user);
    }
}
