<?php
/**
 * The data that the plugin itself stores.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Keys;

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- The plugin's own tables; locks and unique keys are the point.
// phpcs:disable WordPress.DB.PreparedSQL -- Names of tables.

/**
 * A table of keys that are valid once. It contains the keys of puts by user, with their outcomes, and the used nonces
 * as keys of user 0.
 */
final class AIC_Store implements Keys {

	public const CLEANING = 'aic_clean';

	/**
	 * The days for which the outcome of a put is kept.
	 */
	private const KEEP_DAYS = 90;

	/**
	 * The seconds for which a nonce is kept; after this time, the time limit of signatures refuses the same request.
	 */
	private const KEEP_NONCES = 240;

	/**
	 * Returns the name of the table.
	 */
	private static function table(): string {
		global $wpdb;
		return "{$wpdb->prefix}aic_keys";
	}

	/**
	 * Creates the table, and schedules its daily cleaning.
	 */
	public static function install(): void {
		global $wpdb;
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		$collate = $wpdb->get_charset_collate();
		$table   = self::table();
		dbDelta( "CREATE TABLE $table (\n user_id bigint(20) unsigned NOT NULL,\n write_key varchar(500) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n outcome longtext NOT NULL,\n created bigint(20) unsigned NOT NULL,\n PRIMARY KEY  (user_id, write_key),\n KEY created (created)\n) ENGINE=InnoDB $collate;" );
		// Only this plugin reads the code, so WordPress does not need to load it on each page.
		add_option( AIC_Pairing::CURRENT, '', '', false );
		if ( ! wp_next_scheduled( self::CLEANING ) ) {
			wp_schedule_event( time() + DAY_IN_SECONDS, 'daily', self::CLEANING );
		}
	}

	/**
	 * Removes nonces whose requests are too old to be accepted, and outcomes that the stage will not ask for again.
	 */
	public static function clean(): void {
		global $wpdb;
		$before = array( time() - self::KEEP_DAYS * DAY_IN_SECONDS, time() - self::KEEP_NONCES );
		$query  = 'DELETE FROM ' . self::table() . ' WHERE created < %d OR (user_id = 0 AND created < %d)';
		$wpdb->query( $wpdb->prepare( $query, $before ) );
	}

	/**
	 * Removes all data that the plugin has stored. Posts, media and their revisions stay unchanged.
	 */
	public static function uninstall(): void {
		global $wpdb;
		wp_clear_scheduled_hook( self::CLEANING );
		$wpdb->query( 'DROP TABLE IF EXISTS ' . self::table() );
		delete_option( AIC_Pairing::CURRENT );
		delete_transient( AIC_Pairing::PREVIOUS );
		foreach ( array( AIC_History::RUN, AIC_Forms::MARK, AIC_Writer::CHECK ) as $meta ) {
			delete_metadata( 'post', 0, $meta, '', true );
		}
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name  The name.
	 * @param string $text  The text.
	 * @param int    $until Unused: the daily cleaning uses the creation time of the row, and keeps the row longer.
	 */
	public function add( string $name, string $text, int $until ): bool {
		global $wpdb;
		$query = 'INSERT IGNORE INTO ' . self::table() . ' (user_id, write_key, outcome, created) VALUES (%d, %s, %s, %d)';
		return 1 === self::sure( $wpdb->query( $wpdb->prepare( $query, ...array_values( self::row( $name ) ), ...array( $text, time() ) ) ) );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name The name.
	 */
	public function read( string $name ): ?string {
		global $wpdb;
		$query = 'SELECT outcome FROM ' . self::table() . ' WHERE user_id = %d AND write_key = %s';
		return self::sure( $wpdb->get_var( $wpdb->prepare( $query, array_values( self::row( $name ) ) ) ) ?? ( $wpdb->last_error ? false : null ) );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name The name.
	 * @param string $text The text.
	 */
	public function set( string $name, string $text ): void {
		global $wpdb;
		self::sure( $wpdb->update( self::table(), array( 'outcome' => $text ), self::row( $name ) ) ?: false );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name The name.
	 */
	public function remove( string $name ): void {
		global $wpdb;
		$wpdb->delete( self::table(), self::row( $name ) );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param callable $run The function that runs in the transaction.
	 * @return mixed
	 * @throws Throwable The exceptions of the callable.
	 */
	public function transaction( callable $run ): mixed {
		global $wpdb;
		$wpdb->query( 'START TRANSACTION' );
		try {
			$answer = $run();
			self::sure( $wpdb->query( 'COMMIT' ) );
			return $answer;
		} catch ( Throwable $error ) {
			$wpdb->query( 'ROLLBACK' );
			throw $error;
		}
	}

	/**
	 * Returns an answer of the database. Throws for false, by which WordPress reports a failure. `set` also passes
	 * false if it changed no row: a key that was just added and is gone has lost its transaction.
	 *
	 * @param mixed $answer The answer.
	 * @return mixed
	 * @throws RuntimeException When the database failed.
	 */
	private static function sure( $answer ) {
		return false === $answer ? throw new RuntimeException( 'The keys of the chat were not read or stored.' ) : $answer;
	}

	/**
	 * Returns the row of a name: `put:<user>:<key>`, or `nonce:<nonce>`.
	 *
	 * @param string $name The name.
	 * @return array{user_id: int, write_key: string}
	 */
	private static function row( string $name ): array {
		$is_put = preg_match( '/^put:(\d+):(.+)$/s', $name, $parts );
		$key    = $is_put ? $parts[2] : substr( $name, strlen( 'nonce:' ) );
		// The column has a limited length, and MySQL would cut off the rest: a long key is stored as its hash.
		$is_short = preg_match( '/^[\x21-\x7e]{1,500}$/D', $key );
		return array( 'user_id' => $is_put ? (int) $parts[1] : 0, 'write_key' => $is_short ? $key : hash( 'sha256', $key ) );
	}

	/**
	 * Locks the row of a post until the transaction ends, so that a later read gets the stored state.
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
