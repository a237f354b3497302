<?php

declare(strict_types=1);

namespace BackendAiChat;

/** A key store in a table of the CMS's database: MySQL, MariaDB, PostgreSQL or SQLite. */
final class PdoKeys implements Keys
{
    /** On average, one in this number of new keys triggers the deletion of old keys. */
    private const SWEEP_EACH = 500;

    /**
     * @param \PDO $pdo The connection with which the CMS stores records, so that a change and its key are in one
     * transaction.
     */
    public function __construct(private readonly \PDO $pdo, private readonly string $table = 'ai_chat_keys') {}

    /** Creates the table if it does not exist. Call it in an installer, because in MySQL it ends a transaction. */
    public function install(): self
    {
        $text = $this->isMySql() ? 'LONGTEXT' : 'TEXT';
        $this->pdo->exec("CREATE TABLE IF NOT EXISTS $this->table (name CHAR(64) PRIMARY KEY, kept $text NOT NULL, expires BIGINT NOT NULL)");
        return $this;
    }

    public function add(string $name, string $text, int $until): bool
    {
        if (random_int(1, self::SWEEP_EACH) === 1) {
            $this->run("DELETE FROM $this->table WHERE expires < ?", time());
        }
        [$insert, $end] = $this->isMySql() ? ['INSERT IGNORE INTO', ''] : ['INSERT INTO', 'ON CONFLICT DO NOTHING'];
        return $this->run("$insert $this->table (name, kept, expires) VALUES (?, ?, ?) $end", self::hash($name), $text, $until)->rowCount() === 1;
    }

    public function read(string $name): ?string
    {
        $text = $this->run("SELECT kept FROM $this->table WHERE name = ?", self::hash($name))->fetchColumn();
        return $text === false ? null : $text;
    }

    public function set(string $name, string $text): void
    {
        $this->run("UPDATE $this->table SET kept = ? WHERE name = ?", $text, self::hash($name));
    }

    public function remove(string $name): void
    {
        $this->run("DELETE FROM $this->table WHERE name = ?", self::hash($name));
    }

    public function transaction(callable $run): mixed
    {
        $this->pdo->beginTransaction();
        try {
            $answer = $run();
            $this->pdo->commit();
            return $answer;
        } catch (\Throwable $error) {
            $this->pdo->rollBack();
            throw $error;
        }
    }

    private function run(string $query, int|string ...$values): \PDOStatement
    {
        $statement = $this->pdo->prepare($query);
        $statement->execute($values);
        return $statement;
    }

    private function isMySql(): bool
    {
        return $this->pdo->getAttribute(\PDO::ATTR_DRIVER_NAME) === 'mysql';
    }

    /** Returns the hash under which a name is stored, because a name can be too long for a column. */
    private static function hash(string $name): string
    {
        return hash('sha256', $name);
    }
}
