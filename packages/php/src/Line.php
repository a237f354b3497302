<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * Both ends of the line to a stage: its pairings, the present one first, and the address that its signatures contain. It
 * checks what the stage has signed, and signs statements about users.
 */
final class Line
{
    /** The most milliseconds by which the clocks of both sides may differ. */
    private const WINDOW = 60_000;
    /** The period in which a statement is good, in seconds. */
    private const STATEMENT_SECONDS = 30;
    /** The patience of a logout with the stage, in seconds. */
    private const PATIENCE = 3;

    /** The forms of the headers of a signature. */
    private const HEADERS = [
        'x-aic-key' => '/^.{1,64}$/',
        'x-aic-time' => '/^(0|[1-9]\d{0,15})$/',
        'x-aic-nonce' => '/^[\x21-\x7e]{16,64}$/',
        'x-aic-user' => '/^(0|[1-9]\d{0,15}|(?!\d{1,16}$)[A-Za-z0-9_-][A-Za-z0-9_.~-]{0,127})$/',
        'x-aic-signature' => '/^[0-9a-f]{64}$/',
    ];

    /** @param non-empty-list<Pairing> $pairings The present one, and the one before while a stage changes over. */
    public function __construct(public readonly array $pairings, public readonly string $base)
    {
    }

    /** The line of a pairing code. Throws for what is no code. */
    public static function of(string $code, ?string $previousCode, string $base): self
    {
        $pairing = Pairing::of($code) ?? throw new \InvalidArgumentException('The code of the AI chat is no pairing code.');
        return new self(array_filter([$pairing, Pairing::of((string) $previousCode)]), rtrim($base, '/'));
    }

    /**
     * The pairing that signed a request, and its acting user (0: none). Throws Refused in the order of the protocol.
     *
     * @param array<string, string|list<string>> $headers Their names in any case, also with `_` for `-`.
     * @return array{Pairing, int|string}
     */
    public function check(string $operation, array $headers, string $body, Keys $keys): array
    {
        [$key, $time, $nonce, $user, $signature] = self::signed($headers);
        $known = array_filter($this->pairings, static fn (Pairing $it) => hash_equals($it->keyId, $key));
        $pairing = reset($known) ?: throw new Refused('No key has this id.', 'key.unknown');
        $isHello = $operation === 'hello';
        $lines = ['aic-v2', 'POST', $isHello ? '*' : $this->base, $operation, $key, $time, $nonce, $user, hash('sha256', $body)];
        if (!hash_equals(hash_hmac('sha256', implode("\n", $lines), $pairing->bridgeKey), $signature)) {
            throw new Refused('The signature does not belong to this request.', 'signature.wrong');
        }
        $now = (int) (microtime(true) * 1_000);
        // A stage sends `hello` to measure the difference of the clocks.
        if (!$isHello && abs($now - (int) $time) > self::WINDOW) {
            throw new Refused("The time here is $now: the clocks differ by more than 60 seconds.", 'time.outside');
        }
        // Kept for as long as the same request could come again.
        if (!$isHello && !$keys->add("nonce:$nonce", '', intdiv((int) $time + 2 * self::WINDOW, 1_000) + 1)) {
            throw new Refused('A request with this nonce came before.', 'nonce.used');
        }
        return [$pairing, preg_match('/^\d{1,16}$/', $user) ? (int) $user : $user];
    }

    /**
     * The values of the headers that a signature needs.
     *
     * @param array<string, string|list<string>> $headers
     * @return list<string>
     */
    private static function signed(array $headers): array
    {
        $given = [];
        foreach ($headers as $name => $value) {
            $given[strtr(strtolower($name), '_', '-')] = is_array($value) ? (string) reset($value) : $value;
        }
        return array_map(static function (string $name, string $form) use ($given): string {
            $isWhole = preg_match($form, $given[$name] ?? '') === 1;
            return $isWhole ? $given[$name] : throw new Refused("The header $name is missing or not of its form.", 'request.unsigned');
        }, array_keys(self::HEADERS), self::HEADERS);
    }

    /**
     * A statement for the stage: this user is logged in. It is good once, for half a minute.
     *
     * @param string|null $session Their session in the CMS, where it has sessions; the stage gets its hash alone.
     * @param array<string, mixed> $more Claims beside or instead of the usual ones.
     */
    public function statement(int|string $user, ?string $session, array $more = []): string
    {
        $claims = $more + [
            'iss' => $this->pairings[0]->keyId,
            'aud' => 'ai-chat',
            'sub' => (string) $user,
            'jti' => bin2hex(random_bytes(16)),
            'exp' => time() + self::STATEMENT_SECONDS,
        ] + ($session === null ? [] : ['sid' => hash('sha256', $session)]);
        $text = self::base64url(json_encode(['alg' => 'HS256', 'typ' => 'JWT'])) . '.' . self::base64url(json_encode($claims));
        return $text . '.' . self::base64url(hash_hmac('sha256', $text, $this->pairings[0]->exchangeKey, true));
    }

    /**
     * Ends the sessions in the chat that began in this session of the CMS; without one, all sessions of the user. Answers the
     * status: 204, or 0 where the stage cannot be reached. Its session then ends by itself within minutes.
     */
    public function end(int|string $user, ?string $session): int
    {
        $options = [
            'method' => 'POST',
            'header' => 'Content-Type: application/json',
            'content' => json_encode(['token' => $this->statement($user, $session, ['use' => 'end'])]),
            'timeout' => self::PATIENCE,
            'ignore_errors' => true,
        ];
        // A stage that cannot be reached is no fault of the page that logs out: its warning stays away.
        @file_get_contents("{$this->pairings[0]->origin}/backend/exchange/end", false, stream_context_create(['http' => $options]));
        return (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
    }

    private static function base64url(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }
}
