<?php
/**
 * Plugin Name:       Backend AI Chat
 * Description:       An AI assistant inside wp-admin: it reads what its user may read, and every change waits for approval.
 * Version:           0.1.0
 * Requires at least: 6.1
 * Requires PHP:      8.1
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

require_once __DIR__ . '/vendor/autoload.php';
foreach ( glob( __DIR__ . '/includes/*.php' ) as $aic_part ) {
	require_once $aic_part;
}

register_activation_hook( __FILE__, array( 'AIC_Store', 'install' ) );
register_deactivation_hook( __FILE__, static fn() => wp_clear_scheduled_hook( AIC_Store::CLEANING ) );

add_action( AIC_Store::CLEANING, array( 'AIC_Store', 'clean' ) );
add_action( 'update_option_' . AIC_Pairing::CURRENT, array( 'AIC_Pairing', 'keep_previous' ), 10, 2 );

add_filter( 'rest_pre_dispatch', array( 'AIC_Bridge', 'dispatch' ), 10, 3 );
add_filter( 'rest_authentication_errors', array( 'AIC_Bridge', 'let_in' ), PHP_INT_MAX );

add_action( 'wp_abilities_api_categories_init', array( 'AIC_Tools', 'register_category' ) );
add_action( 'wp_abilities_api_init', array( 'AIC_Tools', 'register' ) );

add_filter( 'gettext_backend-ai-chat', array( 'AIC_Words', 'translate' ), 10, 2 );
add_filter( 'pre_load_script_translations', array( 'AIC_Words', 'of_script' ), 10, 4 );
add_filter( 'wp_prepare_revision_for_js', array( 'AIC_History', 'name_revision' ), 10, 2 );

add_action( 'edit_form_top', array( 'AIC_Forms', 'carry' ) );
add_action( 'add_inline_data', array( 'AIC_Forms', 'carry_in_row' ) );
add_action( 'admin_init', array( 'AIC_Forms', 'hold' ) );
add_filter( 'heartbeat_received', array( 'AIC_Forms', 'hold_autosave' ), 10, 2 );

add_action( 'admin_enqueue_scripts', array( 'AIC_Panel', 'enqueue' ) );
add_action( 'wp_enqueue_scripts', array( 'AIC_Panel', 'enqueue' ) );
add_action( 'login_enqueue_scripts', array( 'AIC_Panel', 'forget' ) );
add_filter( 'script_loader_tag', array( 'AIC_Panel', 'tag' ), 10, 2 );
add_action( 'admin_bar_menu', array( 'AIC_Panel', 'button' ), 90 );
add_action( 'admin_menu', array( 'AIC_Panel', 'menu' ) );
add_action( 'wp_ajax_aic_statement', array( 'AIC_Panel', 'send_statement' ) );
// After a new login, the nonce of an open page is not valid.
add_filter( 'wp_refresh_nonces', static fn( $answer ) => array( 'aic_nonce' => wp_create_nonce( 'aic_statement' ) ) + $answer );
add_action( 'wp_logout', array( 'AIC_Panel', 'end_session' ) );

add_action( 'admin_menu', array( 'AIC_Settings_Page', 'menu' ) );
add_action( 'admin_init', array( 'AIC_Settings_Page', 'register' ) );
add_action( 'admin_init', array( 'AIC_Choices', 'register' ) );
add_action( 'admin_notices', array( 'AIC_Settings_Page', 'remind' ) );
add_filter( 'plugin_action_links_' . plugin_basename( __FILE__ ), array( 'AIC_Settings_Page', 'link' ) );
