<?php
/**
 * Capabilities.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

/**
 * What a site with this plugin offers to the stage.
 */
final class AIC_Capabilities {

	/**
	 * What this site has, the same for all users.
	 *
	 * @return array<string, mixed>
	 */
	public static function all(): array {
		$types  = AIC_Types::all();
		$home   = 'page' === get_option( 'show_on_front' ) ? (int) get_option( 'page_on_front' ) : 0;
		$listed = array();
		foreach ( $types as $type ) {
			$listed[] = array(
				'name'   => $type->name,
				'label'  => $type->label,
				'fields' => array_values( AIC_Types::fields( $type ) ),
			);
		}
		$listed[] = array(
			'name'   => AIC_Types::COMMENT,
			'label'  => __( 'Comments' ),
			'fields' => array_values( AIC_Types::comment_fields() ),
		);
		return array(
			'name'          => 'WordPress',
			'version'       => get_bloginfo( 'version' ),
			'types'         => $listed,
			'tree'          => array(
				'pages'   => 'page',
				'content' => null,
			),
			'drafts'        => array_values( array_diff( array_keys( $types ), array( 'attachment' ) ) ),
			'home'          => $home > 0 ? array(
				'table' => 'page',
				'uid'   => $home,
			) : null,
			'locales'       => 'none',
			'states'        => array( 'draft', 'pending', 'private', 'publish', 'future' ),
			'publishing'    => array(
				'field'  => 'status',
				'states' => array( 'publish', 'future' ),
				'draft'  => null,
			),
			'writes'        => array( 'state', 'schedule', 'restore' ),
			'bin'           => AIC_Bin::types(),
			'history'       => true,
			'revisions'     => true,
			'locks'         => true,
			'media'         => true,
			'pictures'      => true,
			'log'           => (bool) WP_DEBUG_LOG,
			'exceptions'    => (bool) WP_DEBUG_LOG,
			'users'         => true,
			'edits'         => true,
			'undoOne'       => true,
			'compareAndSet' => true,
		);
	}
}
