<?php
/**
 * Removes all that the plugin has stored. Posts, media and their revisions stay as they are.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

foreach ( array( 'pairing', 'history', 'forms', 'writer', 'store' ) as $aic_part ) {
	require_once __DIR__ . "/includes/class-aic-$aic_part.php";
}

AIC_Store::uninstall();
