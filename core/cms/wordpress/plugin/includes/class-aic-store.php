<?php
/**
 * What the plugin stores of its own.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- The plugin's own tables; locks and unique keys are the point.
// phpcs:disable WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- Names of tables.

/**
 * Two tables: nonces that came, and writes by their key.
 */
final class AIC_Store {

	public const CLEANING = 'aic_clean';

	/**
	 * The outcome of a write is kept so long, in days.
	 */
	private const KEEP_DAYS = 180;

	/**
	 * Name of the table of nonces.
	 */
	private static function nonces(): string {
		global $wpdb;
		return "{$wpdb->prefix}aic_nonces";
	}

	/**
	 * Name of the table of writes.
	 */
	private static function writes(): string {
		global $wpdb;
		return "{$wpdb->prefix}aic_writes";
	}

	/**
	 * Makes the tables, and has them cleaned every day.
	 */
	public static function install(): void {
		global $wpdb;
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		$collate = $wpdb->get_charset_collate();
		$nonces  = self::nonces();
		$writes  = self::writes();
		dbDelta( "CREATE TABLE $nonces (\n nonce varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n expires bigint(20) unsigned NOT NULL,\n PRIMARY KEY  (nonce),\n KEY expires (expires)\n) ENGINE=InnoDB $collate;" );
		dbDelta( "CREATE TABLE $writes (\n seq bigint(20) unsigned NOT NULL AUTO_INCREMENT,\n write_key varchar(191) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n run varchar(191) NOT NULL DEFAULT '',\n user_id bigint(20) unsigned NOT NULL DEFAULT 0,\n post_id bigint(20) unsigned NOT NULL DEFAULT 0,\n post_type varchar(20) NOT NULL DEFAULT '',\n kind varchar(10) NOT NULL DEFAULT '',\n version varchar(64) NOT NULL DEFAULT '',\n version_before varchar(64) NOT NULL DEFAULT '',\n before_values longtext NULL,\n outcome longtext NOT NULL,\n is_undone tinyint(1) NOT NULL DEFAULT 0,\n created bigint(20) unsigned NOT NULL,\n PRIMARY KEY  (seq),\n UNIQUE KEY write_key (write_key),\n KEY run (run),\n KEY post_id (post_id),\n KEY created (created)\n) ENGINE=InnoDB $collate;" );
		if ( ! wp_next_scheduled( self::CLEANING ) ) {
			wp_schedule_event( time() + DAY_IN_SECONDS, 'daily', self::CLEANING );
		}
	}

	/**
	 * Ends the daily cleaning.
	 */
	public static function stop_cleaning(): void {
		wp_clear_scheduled_hook( self::CLEANING );
	}

	/**
	 * Removes nonces that are too old to be accepted, and outcomes that the stage will not ask for again.
	 */
	public static function clean(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( 'DELETE FROM ' . self::nonces() . ' WHERE expires < %d', time() ) );
		$wpdb->query( $wpdb->prepare( 'DELETE FROM ' . self::writes() . ' WHERE created < %d', time() - self::KEEP_DAYS * DAY_IN_SECONDS ) );
	}

	/**
	 * Removes all that the plugin has stored.
	 */
	public static function uninstall(): void {
		global $wpdb;
		self::stop_cleaning();
		$wpdb->query( 'DROP TABLE IF EXISTS ' . self::nonces() );
		$wpdb->query( 'DROP TABLE IF EXISTS ' . self::writes() );
		delete_option( AIC_Pairing::CURRENT );
		delete_option( AIC_Pairing::PREVIOUS );
		delete_metadata( 'post', 0, AIC_History::RUN, '', true );
	}

	/**
	 * Keeps a nonce; false when it came before.
	 *
	 * @param string $nonce   The nonce.
	 * @param int    $expires Until when it is kept, in seconds since the epoch.
	 */
	public static function use_nonce( string $nonce, int $expires ): bool {
		global $wpdb;
		return 1 === $wpdb->query( $wpdb->prepare( 'INSERT IGNORE INTO ' . self::nonces() . ' (nonce, expires) VALUES (%s, %d)', $nonce, $expires ) );
	}

	/**
	 * Puts in a write under its key; false when the key is there. Waits for another request that has put in the same key
	 * and has not ended its transaction.
	 *
	 * @param string               $key     Key of the write.
	 * @param array<string, mixed> $outcome What is answered for it.
	 * @param array<string, mixed> $columns What else is kept of it.
	 */
	public static function put_write( string $key, array $outcome, array $columns = array() ): bool {
		global $wpdb;
		$row    = $columns + array(
			'write_key' => $key,
			'outcome'   => (string) wp_json_encode( $outcome ),
			'created'   => time(),
		);
		$names  = implode( ', ', array_keys( $row ) );
		$places = implode( ', ', array_fill( 0, count( $row ), '%s' ) );
		return 1 === $wpdb->query( $wpdb->prepare( 'INSERT IGNORE INTO ' . self::writes() . " ($names) VALUES ($places)", array_values( $row ) ) );
	}

	/**
	 * Completes a write that was put in by this transaction.
	 *
	 * @param string               $key     Key of the write.
	 * @param array<string, mixed> $outcome What is answered for it.
	 * @param array<string, mixed> $columns What else is kept of it.
	 */
	public static function complete_write( string $key, array $outcome, array $columns ): void {
		global $wpdb;
		$wpdb->update( self::writes(), $columns + array( 'outcome' => (string) wp_json_encode( $outcome ) ), array( 'write_key' => $key ) );
	}

	/**
	 * The outcome of a write; null when its key is not known.
	 *
	 * @param string $key Key of the write.
	 * @return array<string, mixed>|null
	 */
	public static function outcome( string $key ): ?array {
		global $wpdb;
		$outcome = $wpdb->get_var( $wpdb->prepare( 'SELECT outcome FROM ' . self::writes() . ' WHERE write_key = %s', $key ) );
		return null === $outcome ? null : json_decode( $outcome, true );
	}

	/**
	 * The writes of a run that are still there to take back, the newest first.
	 *
	 * @param string $run     The run.
	 * @param int    $user_id Its user.
	 * @return array<int, object>
	 */
	public static function writes_of( string $run, int $user_id ): array {
		global $wpdb;
		return $wpdb->get_results(
			$wpdb->prepare(
				'SELECT * FROM ' . self::writes() . " WHERE run = %s AND user_id = %d AND kind <> '' AND is_undone = 0 ORDER BY seq DESC",
				$run,
				$user_id
			)
		);
	}

	/**
	 * Marks writes as taken back. The post has again what the write before them left, which can then be taken back too.
	 *
	 * @param string $run     The run.
	 * @param int    $post_id The post.
	 * @param string $before  Version of the post before the first of them.
	 * @param string $now     Version of the post now.
	 */
	public static function mark_undone( string $run, int $post_id, string $before, string $now ): void {
		global $wpdb;
		$wpdb->update( self::writes(), array( 'is_undone' => 1 ), array( 'run' => $run, 'post_id' => $post_id ) );
		$wpdb->update( self::writes(), array( 'version' => $now ), array( 'version' => $before, 'post_id' => $post_id, 'is_undone' => 0 ) );
	}

	/**
	 * Does something as one transaction: all of it is stored, or nothing is.
	 *
	 * @template T
	 * @param callable(): T $act What to do; a throw rolls it back.
	 * @return T
	 * @throws Throwable What the callable throws.
	 */
	public static function transact( callable $act ) {
		global $wpdb;
		$wpdb->query( 'START TRANSACTION' );
		try {
			$result = $act();
			$wpdb->query( 'COMMIT' );
			return $result;
		} catch ( Throwable $error ) {
			$wpdb->query( 'ROLLBACK' );
			throw $error;
		}
	}

	/**
	 * Locks the row of a post until the transaction ends; what is read of it afterwards is what is stored.
	 *
	 * @param int $post_id The post.
	 */
	public static function lock_post( int $post_id ): void {
		global $wpdb;
		$wpdb->get_var( $wpdb->prepare( "SELECT ID FROM $wpdb->posts WHERE ID = %d FOR UPDATE", $post_id ) );
		clean_post_cache( $post_id );
		wp_cache_delete( $post_id, 'post_meta' );
	}
}
