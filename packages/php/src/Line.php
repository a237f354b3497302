<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * The connection to a stage: its pairings, the current one first, and the base address that its signatures contain. It
 * checks the signatures of the stage, and signs statements about users.
 */
final class Line
{
    /** The maximum difference between the clocks of both sides, in milliseconds. */
    private const WINDOW = 60_000;
    /** The period in which a statement is valid, in seconds. */
    private const STATEMENT_SECONDS = 30;
    /** The longest time that a logout waits for the stage, in seconds. */
    private const PATIENCE = 3;

    /** The patterns of the signature headers. */
    private const HEADERS = [
        'x-aic-key' => '/^.{1,64}$/',
        'x-aic-time' => '/^(0|[1-9]\d{0,15})$/',
        'x-aic-nonce' => '/^[\x21-\x7e]{16,64}$/',
        'x-aic-user' => '/^(0|[1-9]\d{0,15}|(?!\d{1,16}$)[A-Za-z0-9_-][A-Za-z0-9_.~-]{0,127})$/',
        'x-aic-signature' => '/^[0-9a-f]{64}$/',
    ];

    /** @param non-empty-list<Pairing> $pairings The current pairing, and the previous one during a change of codes. */
    public function __construct(public readonly array $pairings, public readonly string $base) {}

    /** Returns the connection for a pairing code. Throws if the code is not a pairing code. */
    public static function of(string $code, ?string $previousCode, string $base): self
    {
        $pairing = Pairing::of($code) ?? throw new \InvalidArgumentException('The code of the AI chat is no pairing code.');
        return new self(array_filter([$pairing, Pairing::of((string) $previousCode)]), rtrim($base, '/'));
    }

    /**
     * Returns the pairing that signed a request, and the acting user (0 for none). Throws Refused in the order of the
     * protocol.
     *
     * @param array<string, string|list<string>> $headers The names may have any case, and `_` instead of `-`.
     * @return array{Pairing, int|string}
     */
    public function check(string $operation, array $headers, string $body, Keys $keys): array
    {
        [$key, $time, $nonce, $user, $signature] = self::signed($headers);
        $known = array_filter($this->pairings, static fn (Pairing $it) => hash_equals($it->keyId, $key));
        $pairing = reset($known) ?: throw new Refused('No key has this id.', 'key.unknown');
        $isHello = $operation === 'hello';
        $lines = ['aic-v2', 'POST', $isHello ? '*' : $this->base, $operation, $key, $time, $nonce, $user, hash('sha256', $body)];
        $isSigned = hash_equals(hash_hmac('sha256', implode("\n", $lines), $pairing->bridgeKey), $signature);
        Refused::when(!$isSigned, 'The signature does not belong to this request.', 'signature.wrong');
        $now = (int) (microtime(true) * 1_000);
        // `hello` has no time limit, because the stage uses it to measure the difference between the clocks.
        $isLate = !$isHello && abs($now - (int) $time) > self::WINDOW;
        Refused::when($isLate, "The time here is $now: the clocks differ by more than 60 seconds.", 'time.outside');
        // The nonce is stored until the time limit would refuse the same request.
        $isUsed = !$isHello && !$keys->add("nonce:$nonce", '', intdiv((int) $time + 2 * self::WINDOW, 1_000) + 1);
        Refused::when($isUsed, 'A request with this nonce came before.', 'nonce.used');
        return [$pairing, preg_match('/^\d{1,16}$/', $user) ? (int) $user : $user];
    }

    /**
     * Returns the values of the signature headers.
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
     * Returns a signed statement for the stage that this user is logged in. It is valid once, for half a minute.
     *
     * @param string|null $session The user's session in the CMS, if it has sessions; the stage gets only its hash.
     * @param array<string, mixed> $more Claims that are added, or that replace the default ones.
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
     * Ends the chat sessions that began in this session of the CMS; without a session, all chat sessions of the user.
     * Returns the status: 204, or 0 if the stage cannot be reached; the stage then ends the session itself within
     * minutes.
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
        // An unreachable stage is no fault of the logout page, so its warning is suppressed.
        $answer = @fopen("{$this->pairings[0]->origin}/backend/exchange/end", 'r', false, stream_context_create(['http' => $options]));
        return $answer ? (int) (explode(' ', stream_get_meta_data($answer)['wrapper_data'][0] ?? '')[1] ?? 0) : 0;
    }

    private static function base64url(string $bytes): string
    {
        return rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
    }
}
