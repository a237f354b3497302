<?php
/**
 * The data that the plugin stores of its own.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- The plugin's own tables; locks and unique keys are the point.
// phpcs:disable WordPress.DB.PreparedSQL.InterpolatedNotPrepared -- Names of tables.

/**
 * A table of keys that count once: those of puts with their outcomes, and as user 0 the nonces that came.
 */
final class AIC_Store {

	public const CLEANING = 'aic_clean';

	/**
	 * The outcome of a put is kept so long, in days.
	 */
	private const KEEP_DAYS = 90;

	/**
	 * A nonce is kept so long, in seconds: one that came longer ago is too old to be accepted.
	 */
	private const KEEP_NONCES = 240;

	/**
	 * Name of the table.
	 */
	private static function table(): string {
		global $wpdb;
		return "{$wpdb->prefix}aic_keys";
	}

	/**
	 * Makes the table, and has it cleaned every day.
	 */
	public static function install(): void {
		global $wpdb;
		require_once ABSPATH . 'wp-admin/includes/upgrade.php';
		$collate = $wpdb->get_charset_collate();
		$table   = self::table();
		dbDelta( "CREATE TABLE $table (\n user_id bigint(20) unsigned NOT NULL,\n write_key varchar(500) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,\n outcome longtext NOT NULL,\n created bigint(20) unsigned NOT NULL,\n PRIMARY KEY  (user_id, write_key),\n KEY created (created)\n) ENGINE=InnoDB $collate;" );
		// The code is read by this plugin alone, so no page load pays for it.
		add_option( AIC_Pairing::CURRENT, '', '', false );
		register_uninstall_hook( AIC_FILE, array( self::class, 'uninstall' ) );
		if ( ! wp_next_scheduled( self::CLEANING ) ) {
			wp_schedule_event( time() + DAY_IN_SECONDS, 'daily', self::CLEANING );
		}
	}

	/**
	 * Removes nonces that are too old to be accepted, and outcomes that the stage will not ask for again.
	 */
	public static function clean(): void {
		global $wpdb;
		$before = array( time() - self::KEEP_DAYS * DAY_IN_SECONDS, time() - self::KEEP_NONCES );
		$query  = 'DELETE FROM ' . self::table() . ' WHERE created < %d OR (user_id = 0 AND created < %d)';
		$wpdb->query( $wpdb->prepare( $query, $before ) );
	}

	/**
	 * Removes all that the plugin has stored. Posts, media and their revisions stay as they are.
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
	 * Keeps a nonce; false when it came before.
	 *
	 * @param string $nonce The nonce.
	 */
	public static function use_nonce( string $nonce ): bool {
		return 1 === self::insert( 0, $nonce );
	}

	/**
	 * Puts a key in, and answers how many came in by that: none where it was there, false where the database fails.
	 *
	 * @param int    $user_id The user.
	 * @param string $key     The key.
	 * @return int|false
	 */
	private static function insert( int $user_id, string $key ) {
		global $wpdb;
		$query = 'INSERT IGNORE INTO ' . self::table() . " (user_id, write_key, outcome, created) VALUES (%d, %s, '', %d)";
		return $wpdb->query( $wpdb->prepare( $query, $user_id, $key, time() ) );
	}

	/**
	 * Runs the callable once for a key of the current user, as one transaction: all of it is stored with its outcome,
	 * or nothing is. Another request with the same key waits for it here, and gets the same outcome.
	 *
	 * @param string                          $key The key.
	 * @param callable(): array<string, mixed> $act What to do; a throw rolls it back.
	 * @return array<string, mixed>
	 * @throws Throwable What the callable throws.
	 */
	public static function once( string $key, callable $act ): array {
		global $wpdb;
		$row = array( 'user_id' => get_current_user_id(), 'write_key' => $key );
		$wpdb->query( 'START TRANSACTION' );
		try {
			$count = self::insert( ...array_values( $row ) );
			if ( false === $count ) {
				throw new RuntimeException( 'The key of a put was not stored.' );
			}
			if ( 0 === $count ) {
				$query = 'SELECT outcome FROM ' . self::table() . ' WHERE user_id = %d AND write_key = %s';
				$known = $wpdb->get_var( $wpdb->prepare( $query, array_values( $row ) ) );
				$wpdb->query( 'COMMIT' );
				return json_decode( (string) $known, true ) ?? array( 'state' => 'void' );
			}
			$outcome = $act();
			$wpdb->update( self::table(), array( 'outcome' => (string) wp_json_encode( self::brief( $outcome ) ) ), $row );
			$wpdb->query( 'COMMIT' );
			return $outcome;
		} catch ( Throwable $error ) {
			$wpdb->query( 'ROLLBACK' );
			throw $error;
		}
	}

	/**
	 * An outcome with those fields alone that differ.
	 *
	 * @param array<string, mixed> $outcome The outcome.
	 * @return array<string, mixed>
	 */
	private static function brief( array $outcome ): array {
		foreach ( $outcome['before']['record']['fields'] ?? array() as $name => $value ) {
			if ( isset( $outcome['after']['record'] ) && $value === ( $outcome['after']['record']['fields'][ $name ] ?? null ) ) {
				unset( $outcome['before']['record']['fields'][ $name ], $outcome['after']['record']['fields'][ $name ] );
			}
		}
		return $outcome;
	}

	/**
	 * Locks the row of a post until the transaction ends, so that a read after it gets the stored state.
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
