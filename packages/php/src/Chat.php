<?php

declare(strict_types=1);

namespace BackendAiChat;

/**
 * The chat of a CMS: it answers requests of the stage, and makes the tag and the statements for the pages of the CMS.
 */
final class Chat
{
    private readonly Line $line;
    private readonly string $path;

    /**
     * Connects a CMS with a stage. Throws if the code is not a pairing code.
     *
     * @param string $code The pairing code of the stage; during a change of codes `$previousCode` is valid too.
     * @param string $base The address at which the stage reaches this CMS.
     */
    public function __construct(private readonly Adapter $adapter, string $code, string $base, ?string $previousCode = null)
    {
        $this->line = Line::of($code, $previousCode, $base);
        $this->path = parse_url($this->line->base, PHP_URL_PATH) . '/aic/v2/';
    }

    /**
     * Answers a request of the stage; returns null for any other path. Accepts the headers of any framework, such as
     * PSR-7's getHeaders().
     *
     * @param array<string, string|list<string>> $headers
     * @param string $body The raw bytes of the request.
     * @return array{status: int, headers: array<string, string>, body: string}|null
     */
    public function answer(string $method, string $url, array $headers, string $body): ?array
    {
        $path = (string) parse_url($url, PHP_URL_PATH);
        if ($method !== 'POST' || !str_starts_with($path, $this->path)) {
            return null;
        }
        $bridge = new Bridge(new AdapterCms($this->adapter), $this->line, $this->adapter->keys());
        [$status, $answer] = $bridge->answer(substr($path, strlen($this->path)), $headers, $body);
        $sent = ['Content-Type' => 'application/json', 'Cache-Control' => 'no-store'];
        return ['status' => $status, 'headers' => $sent, 'body' => json_encode($answer, Bridge::JSON)];
    }

    /**
     * Answers the current request in PHP without a framework: reads it, and sends the answer. Returns false for any
     * other path.
     */
    public function handle(): bool
    {
        $body = (string) file_get_contents('php://input');
        $answer = $this->answer($_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], getallheaders(), $body);
        if ($answer === null) {
            return false;
        }
        http_response_code($answer['status']);
        foreach ($answer['headers'] as $name => $value) {
            header("$name: $value");
        }
        echo $answer['body'];
        return true;
    }

    /**
     * Returns a statement for the panel about the logged-in user; `$session` is the user's session in the CMS, if it
     * has sessions.
     */
    public function statement(int|string $user, ?string $session = null): string
    {
        return $this->line->statement($user, $session);
    }

    /** Ends the user's sessions in the chat; call it at logout. Never throws. */
    public function end(int|string $user, ?string $session = null): void
    {
        $this->line->end($user, $session);
    }

    /**
     * Returns the script tag of the panel, as HTML; each named argument is a `data-` attribute of docs/embedding.md,
     * such as `sessionUrl`.
     */
    public function tag(int|string|null ...$data): string
    {
        $tag = '<script type="module" src="' . self::escaped("{$this->line->pairings[0]->origin}/backend/embed.js") . '"';
        foreach (array_filter($data, static fn (mixed $value) => $value !== null) as $name => $value) {
            $tag .= ' data-' . strtolower((string) preg_replace('/[A-Z]/', '-$0', $name)) . '="' . self::escaped((string) $value) . '"';
        }
        return "$tag></script>";
    }

    private static function escaped(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE);
    }
}
