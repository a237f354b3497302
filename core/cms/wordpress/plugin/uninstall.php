<?php
/**
 * Removes all that the plugin has stored. Posts, media and their revisions stay as they are.
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

defined( 'WP_UNINSTALL_PLUGIN' ) || exit;

require_once __DIR__ . '/includes/class-aic-pairing.php';
require_once __DIR__ . '/includes/class-aic-store.php';

AIC_Store::uninstall();
