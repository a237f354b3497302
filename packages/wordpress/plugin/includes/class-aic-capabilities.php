<?php
/**
 * Capabilities.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * The features that a site with this plugin offers to the stage.
 */
final class AIC_Capabilities {

	/**
	 * The capabilities of this site, the same for all users.
	 *
	 * @return array<string, mixed>
	 */
	public static function all(): array {
		$types = AIC_Types::all();
		$home  = 'page' === get_option( 'show_on_front' ) ? (int) get_option( 'page_on_front' ) : 0;
		$posts = array_values( array_diff( array_keys( $types ), array( 'attachment' ) ) );
		return array(
			'name'          => 'WordPress',
			'version'       => get_bloginfo( 'version' ),
			'types'         => AIC_Types::tables(),
			'tree'          => array( 'pages' => 'page', 'content' => null ),
			'home'          => $home > 0 ? array( 'table' => 'page', 'uid' => $home ) : null,
			'locales'       => 'none',
			'states'        => AIC_Types::STATES,
			'publishing'    => array( 'field' => 'status', 'states' => array( 'publish', 'future' ), 'draft' => null ),
			'writes'        => array(
				'create'  => $posts,
				'state'   => $posts,
				'times'   => $posts,
				'bin'     => AIC_Types::with_bin(),
				'remove'  => $posts,
				'restore' => array_values( array_filter( $posts, static fn( string $type ) => post_type_supports( $type, 'revisions' ) ) ),
			),
			'addresses'     => array(
				'origins' => array_values( array_unique( array_map( array( self::class, 'origin' ), array( home_url(), site_url() ) ) ) ),
				'types'   => array_values( array_filter( array_keys( $types ), 'is_post_type_viewable' ) ),
			),
			'history'       => true,
			'revisions'     => true,
			'locks'         => true,
			'media'         => true,
			'pictures'      => true,
			'log'           => (bool) WP_DEBUG_LOG,
			'exceptions'    => (bool) WP_DEBUG_LOG,
			'users'         => true,
			'compareAndSet' => true,
		);
	}

	/**
	 * The origin of an address.
	 *
	 * @param string $address The address.
	 */
	private static function origin( string $address ): string {
		return (string) preg_replace( '#^(https?://[^/]+).*$#', '$1', $address );
	}
}
