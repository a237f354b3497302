<?php
/**
 * The capabilities, facts, users and log of the site.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

use BackendAiChat\Person;

/**
 * Returns the capabilities, facts, users and log of the site. The bridge gives log, facts and users only to
 * administrators.
 */
final class AIC_System {

	/**
	 * The number of bytes that are read from the end of the log.
	 */
	private const TAIL = 1_000_000;

	/**
	 * An entry of the log: its time, and its lines before the next entry.
	 */
	private const ENTRY = '/^\[(\d{2}-\w{3}-\d{4} [^\]]{8,48})\] (.*+(?:\n(?!\[\d{2}-\w{3}-\d{4} ).*+)*+)/m';

	private const LEVELS = array( 'debug', 'info', 'notice', 'warning', 'error', 'critical' );

	/**
	 * Returns the capabilities of this site, the same for all users.
	 *
	 * @return array<string, mixed>
	 */
	public static function capabilities(): array {
		$types   = AIC_Types::all();
		$home    = 'page' === get_option( 'show_on_front' ) ? (int) get_option( 'page_on_front' ) : 0;
		$origins = preg_replace( '#^(https?://[^/]+).*$#', '$1', array( home_url(), site_url() ) );
		return array(
			'name'       => 'WordPress',
			'version'    => get_bloginfo( 'version' ),
			'types'      => AIC_Types::tables( false ),
			'tree'       => array( 'pages' => 'page', 'content' => null ),
			'home'       => $home > 0 ? array( 'table' => 'page', 'uid' => $home ) : null,
			'locales'    => 'none',
			'states'     => AIC_Types::STATES,
			'publishing' => array( 'field' => 'status', 'states' => array( 'publish', 'future' ), 'draft' => null ),
			'writes'     => AIC_Put::writes(),
			'addresses'  => array(
				'origins' => array_values( array_unique( $origins ) ),
				'types'   => array_values( array_filter( array_keys( $types ), 'is_post_type_viewable' ) ),
			),
			'log'        => (bool) WP_DEBUG_LOG,
			'exceptions' => (bool) WP_DEBUG_LOG,
			'abilities'  => AIC_Abilities::exist() && get_option( AIC_Abilities::ALLOWED ),
		) + array_fill_keys( array( 'history', 'revisions', 'locks', 'media', 'pictures', 'users', 'compareAndSet' ), true );
	}

	/**
	 * Returns the facts about a site that its administrator may know.
	 *
	 * @return array<string, string|int>
	 */
	public static function facts(): array {
		global $wpdb;
		$updates = get_site_transient( 'update_plugins' );
		return array(
			'WordPress'            => get_bloginfo( 'version' ),
			'PHP'                  => PHP_VERSION,
			'Database'             => $wpdb->db_server_info(),
			'Theme'                => (string) wp_get_theme()->get( 'Name' ),
			'Active plugins'       => count( (array) get_option( 'active_plugins', array() ) ),
			'Plugins with updates' => is_object( $updates ) ? count( (array) ( $updates->response ?? array() ) ) : 0,
			'Environment'          => wp_get_environment_type(),
			'HTTPS'                => wp_is_using_https() ? 'yes' : 'no',
			'Debug mode'           => WP_DEBUG ? 'on' : 'off',
			'Search engines'       => get_option( 'blog_public' ) ? 'allowed' : 'discouraged',
			'Overdue cron events'  => count( array_filter( array_keys( (array) _get_cron_array() ), static fn( $time ) => (int) $time < time() - 600 ) ),
			'Published posts'      => (int) wp_count_posts()->publish,
			'Published pages'      => (int) wp_count_posts( 'page' )->publish,
			'Comments to review'   => (int) wp_count_comments()->moderated,
		);
	}

	/**
	 * Returns the users of the site who may edit posts. A shop has far more customers than an answer can hold.
	 *
	 * @return array<int, array<string, mixed>>
	 */
	public static function users(): array {
		$names = wp_roles()->get_names();
		return array_map(
			static fn( WP_User $user ) => array(
				'groups'    => array_values( array_map( static fn( $role ) => translate_user_role( $names[ $role ] ?? $role ), $user->roles ) ),
				'disabled'  => false,
				'lastLogin' => null,
			) + self::user( $user ),
			get_users( array( 'capability' => 'edit_posts', 'orderby' => 'ID' ) )
		);
	}

	/**
	 * Returns a user in the form of the protocol.
	 *
	 * @param WP_User $user The user.
	 * @return array<string, mixed>
	 */
	public static function user( WP_User $user ): array {
		$is_admin = user_can( $user, 'manage_options' );
		return ( new Person( $user->ID, $user->user_login, $user->display_name, $is_admin, array_values( $user->roles ), get_user_locale( $user ) ) )->actor();
	}

	/**
	 * Returns entries of the debug log, newest first.
	 *
	 * @param string      $level      The lowest level of the entries.
	 * @param string|null $since      The earliest time of the entries; null for no limit.
	 * @param bool|null   $exceptions True for only the entries with exceptions, each different exception once.
	 * @param int|null    $offset     The number of entries to skip; null for none.
	 * @param int         $limit      The maximum number.
	 * @return array<int, array<string, mixed>>
	 */
	public static function log( string $level, ?string $since, ?bool $exceptions, ?int $offset, int $limit ): array {
		$least   = (int) array_search( $level, self::LEVELS, true );
		$oldest  = null === $since ? 0 : (int) strtotime( $since );
		$entries = array_filter(
			self::entries(),
			static fn( $entry ) => array_search( $entry['level'], self::LEVELS, true ) >= $least && strtotime( $entry['at'] ) >= $oldest
		);
		return array_slice( $exceptions ? self::different( $entries ) : array_values( $entries ), (int) $offset, $limit );
	}

	/**
	 * Returns the newest entry of each different exception, with the number of its entries.
	 *
	 * @param array<int, array<string, mixed>> $entries The entries, newest first.
	 * @return array<int, array<string, mixed>>
	 */
	private static function different( array $entries ): array {
		$found = array();
		foreach ( array_filter( $entries, static fn( $entry ) => isset( $entry['exception'] ) ) as $entry ) {
			$parts            = array( 'class', 'code', 'file', 'line' );
			$same             = implode( "\n", array_intersect_key( $entry['exception'], array_flip( $parts ) ) );
			$found[ $same ] ??= array( 'exception' => array( 'count' => 0 ) + $entry['exception'] ) + $entry;
			++$found[ $same ]['exception']['count'];
		}
		return array_values( $found );
	}

	/**
	 * Returns the end of the debug log as entries, newest first; empty if the log cannot be read.
	 *
	 * @return array<int, array<string, mixed>>
	 */
	private static function entries(): array {
		$file = is_string( WP_DEBUG_LOG ) ? WP_DEBUG_LOG : WP_CONTENT_DIR . '/debug.log';
		if ( ! is_readable( $file ) ) {
			return array();
		}
		// phpcs:ignore WordPress.WP.AlternativeFunctions -- The end of a file of this site.
		$text  = (string) file_get_contents( $file, false, null, max( 0, (int) filesize( $file ) - self::TAIL ) );
		$found = array();
		preg_match_all( self::ENTRY, $text, $matches, PREG_SET_ORDER );
		foreach ( $matches as $at => list( , $time, $words ) ) {
			$found[] = self::entry( $at + 1, $time, self::without_paths( rtrim( $words ) ) );
		}
		return array_reverse( $found );
	}

	/**
	 * Returns an entry of the log.
	 *
	 * @param int    $uid  The number of the entry.
	 * @param string $time The time.
	 * @param string $text The text.
	 * @return array<string, mixed>
	 */
	private static function entry( int $uid, string $time, string $text ): array {
		$line  = (string) strtok( $text, "\n" );
		$level = match ( true ) {
			str_starts_with( $text, 'PHP Fatal' ), str_starts_with( $text, 'PHP Parse' ), str_starts_with( $text, 'PHP Recoverable' ) => 'critical',
			str_starts_with( $text, 'WordPress database error' ) => 'error',
			str_starts_with( $text, 'PHP Warning' )              => 'warning',
			str_starts_with( $text, 'PHP Notice' ), str_starts_with( $text, 'PHP Deprecated' ) => 'notice',
			default                                              => 'info',
		};
		$entry = array(
			'uid'       => $uid,
			'at'        => gmdate( 'Y-m-d\TH:i:s.000\Z', (int) strtotime( $time ) ),
			'level'     => $level,
			'component' => str_starts_with( $text, 'PHP' ) ? 'php' : 'wordpress',
			'message'   => mb_substr( $line, 0, 2_000 ),
			'user'      => null,
		);
		if ( preg_match( '/Uncaught (\S+?): (.*?) in (\S+?):(\d+)\n(?:Stack trace:\n)?(.*)$/s', $text, $matches ) ) {
			$entry['exception'] = array(
				'class' => $matches[1],
				'code'  => 0,
				'file'  => $matches[3],
				'line'  => (int) $matches[4],
				'trace' => mb_substr( $matches[5], 0, 8_000 ),
				'count' => 1,
			);
		}
		return $entry;
	}

	/**
	 * Returns a text of the log without the path of the site and without the secrets of its configuration.
	 *
	 * @param string $text The text.
	 */
	private static function without_paths( string $text ): string {
		$secrets = array_filter( array( DB_PASSWORD, AUTH_KEY, SECURE_AUTH_KEY, LOGGED_IN_KEY, NONCE_KEY, AUTH_SALT, SECURE_AUTH_SALT, LOGGED_IN_SALT, NONCE_SALT ), static fn( $secret ) => strlen( $secret ) >= 8 );
		return str_replace( array( ABSPATH, ...$secrets ), array( '', ...array_fill( 0, count( $secrets ), '[redacted]' ) ), $text );
	}
}
