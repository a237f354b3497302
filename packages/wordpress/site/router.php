<?php
/**
 * Serves the local site with PHP's own server: files and folders with a start page unchanged, everything else through
 * WordPress.
 */

$file = $_SERVER['DOCUMENT_ROOT'] . parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );
if ( is_file( $file ) || is_file( "$file/index.php" ) ) {
	return false;
}
$_SERVER['SCRIPT_NAME'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
