<?php
/**
 * Removes all data that the plugin has stored, unless the administrator has chosen to keep it.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

require_once __DIR__ . '/vendor/autoload.php';
foreach ( glob( __DIR__ . '/includes/*.php' ) as $aic_part ) {
	require_once $aic_part;
}

if ( '1' === get_option( AIC_Choices::ERASE, '1' ) ) {
	AIC_Store::uninstall();
	array_map( 'delete_option', array( AIC_Abilities::ALLOWED, AIC_Tools::KNOWN, AIC_Meta::NAMED, AIC_Choices::ERASE ) );
}
