/**
 * After a logout the browser keeps nothing of the chat: drafts and the state of the panel belong to the user who left.
 */
( () => {
	const isAfterLogout = new URLSearchParams( window.location.search ).get( 'loggedout' ) === 'true';
	if ( ! isAfterLogout ) {
		return;
	}
	for ( const storage of [ window.localStorage, window.sessionStorage ] ) {
		for ( const key of Object.keys( storage ) ) {
			if ( key.startsWith( 'aic:' ) ) {
				storage.removeItem( key );
			}
		}
	}
} )();
