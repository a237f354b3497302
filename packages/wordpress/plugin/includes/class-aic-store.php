<?php
/**
 * The data that the plugin stores of its own.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Keys;

// phpcs:disable WordPress.DB.DirectDatabaseQuery -- The plugin's own tables; locks and unique keys are the point.
// phpcs:disable WordPress.DB.PreparedSQL -- Names of tables.

/**
 * A table of keys that count once: those of puts with their outcomes, and the nonces that came.
 */
final class AIC_Store implements Keys {

	public const CLEANING = 'aic_clean';

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
		dbDelta( "CREATE TABLE $table (\n name char(64) CHARACTER SET ascii NOT NULL,\n kept longtext NOT NULL,\n expires bigint(20) unsigned NOT NULL,\n PRIMARY KEY  (name),\n KEY expires (expires)\n) ENGINE=InnoDB $collate;" );
		// The code is read by this plugin alone, so no page load pays for it.
		add_option( AIC_Pairing::CURRENT, '', '', false );
		if ( ! wp_next_scheduled( self::CLEANING ) ) {
			wp_schedule_event( time() + DAY_IN_SECONDS, 'daily', self::CLEANING );
		}
	}

	/**
	 * Removes nonces that are too old to be accepted again, and outcomes that the stage will not ask for any more.
	 */
	public static function clean(): void {
		global $wpdb;
		$wpdb->query( $wpdb->prepare( 'DELETE FROM ' . self::table() . ' WHERE expires < %d', time() ) );
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
	 * {@inheritDoc}
	 *
	 * @param string $name  Name.
	 * @param string $text  Text.
	 * @param int    $until The daily cleaning after this time removes it.
	 * @throws RuntimeException When the database fails.
	 */
	public function add( string $name, string $text, int $until ): bool {
		global $wpdb;
		$query = 'INSERT IGNORE INTO ' . self::table() . ' (name, kept, expires) VALUES (%s, %s, %d)';
		$count = $wpdb->query( $wpdb->prepare( $query, self::hash( $name ), $text, $until ) );
		return false === $count ? throw new RuntimeException( 'A key was not stored.' ) : 1 === $count;
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name Name.
	 */
	public function read( string $name ): ?string {
		global $wpdb;
		return $wpdb->get_var( $wpdb->prepare( 'SELECT kept FROM ' . self::table() . ' WHERE name = %s', self::hash( $name ) ) );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name Name.
	 * @param string $text Text.
	 */
	public function set( string $name, string $text ): void {
		global $wpdb;
		$wpdb->update( self::table(), array( 'kept' => $text ), array( 'name' => self::hash( $name ) ) );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param string $name Name.
	 */
	public function remove( string $name ): void {
		global $wpdb;
		$wpdb->delete( self::table(), array( 'name' => self::hash( $name ) ) );
	}

	/**
	 * {@inheritDoc}
	 *
	 * @param callable $run What to do.
	 * @return mixed
	 * @throws Throwable What the callable throws.
	 */
	public function transaction( callable $run ): mixed {
		global $wpdb;
		$wpdb->query( 'START TRANSACTION' );
		try {
			$answer = $run();
			$wpdb->query( 'COMMIT' );
			return $answer;
		} catch ( Throwable $error ) {
			$wpdb->query( 'ROLLBACK' );
			throw $error;
		}
	}

	/**
	 * A name as the column takes it: names have any length and letters.
	 *
	 * @param string $name Name.
	 */
	private static function hash( string $name ): string {
		return hash( 'sha256', $name );
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
