<?php
/**
 * Plugin Name:       Backend AI Chat
 * Description:       An AI assistant inside wp-admin: it reads what its user may read, and every change waits for approval.
 * Version:           0.1.0
 * Requires at least: 6.1
 * Requires PHP:      8.0
 * License:           GPL-2.0-or-later
 * License URI:       https://www.gnu.org/licenses/gpl-2.0.html
 * Text Domain:       backend-ai-chat
 *
 * @package BackendAiChat
 */

declare( strict_types = 1 );

defined( 'ABSPATH' ) || exit;

const AIC_VERSION = '0.1.0';
const AIC_FILE    = __FILE__;

foreach ( array( 'words', 'refusal', 'pairing', 'signature', 'store', 'types', 'record', 'reader', 'pages', 'picture', 'history', 'value', 'target', 'writer', 'put', 'system', 'capabilities', 'bridge', 'forms', 'panel', 'settings-page' ) as $aic_part ) {
	require_once __DIR__ . "/includes/class-aic-$aic_part.php";
}

register_activation_hook( __FILE__, array( 'AIC_Store', 'install' ) );
register_deactivation_hook( __FILE__, array( 'AIC_Store', 'stop_cleaning' ) );

add_filter( 'rest_pre_dispatch', array( 'AIC_Bridge', 'dispatch' ), 10, 3 );
add_filter( 'rest_authentication_errors', array( 'AIC_Bridge', 'let_in' ), PHP_INT_MAX );
add_action( 'rest_api_init', array( 'AIC_Panel', 'register' ) );
add_action( AIC_Store::CLEANING, array( 'AIC_Store', 'clean' ) );
add_action( 'update_option_' . AIC_Pairing::CURRENT, array( 'AIC_Pairing', 'keep_previous' ), 10, 2 );
add_filter( 'wp_prepare_revision_for_js', array( 'AIC_History', 'name_revision' ), 10, 2 );

AIC_Words::hook();
AIC_Forms::hook();
AIC_Panel::hook();
AIC_Settings_Page::hook();
