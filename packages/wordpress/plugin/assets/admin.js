/**
 * The buttons of the admin bar and of the block editor open and close the panel. The panel does not cover the bars of
 * wp-admin.
 */
( ( wp ) => {
	const { __ } = wp.i18n;
	const barSelector = '#wpadminbar, .interface-interface-skeleton__header';
	const footSelector = '.interface-interface-skeleton__footer';
	const sideSelector = '.interface-interface-skeleton__sidebar';

	const deniedKey = 'aic:denied';
	const hide = ( isDenied ) => document.documentElement.classList.toggle( 'aic-denied', isDenied );

	/** Hides the button from users who may not chat: from the first answer of the stage on, and on every later page. */
	hide( window.localStorage.getItem( deniedKey ) === 'yes' );
	document.addEventListener( 'ai-chat-access', ( { detail } ) => {
		window.localStorage.setItem( deniedKey, detail.allowed ? 'no' : 'yes' );
		hide( ! detail.allowed );
	} );

	const script = document.querySelector( 'script[src$="/backend/embed.js"]' );

	/** Resolves with true when the chat is loaded; with false if its script is blocked or takes more than 10 s. */
	const isThere = Promise.race( [
		window.customElements.whenDefined( 'ai-chat-panel' ).then( () => true ),
		new Promise( ( done ) => script?.addEventListener( 'error', () => done( false ) ) ),
		new Promise( ( done ) => window.setTimeout( done, 10000, false ) ),
	] );

	/**
	 * Shows near the pressed button that the chat cannot be loaded. The block editor covers the admin bar, so the
	 * editor shows a notice instead.
	 */
	const complain = ( pressed ) => {
		const sentence = document.querySelector( '#aic-blocked' );
		if ( pressed === button ) {
			wp.data.dispatch( 'core/notices' ).createErrorNotice( sentence.textContent, { id: 'aic-blocked' } );
		} else {
			sentence.hidden = ! sentence.hidden;
		}
	};

	const toggle = async ( event ) => {
		const pressed = event.currentTarget;
		event.preventDefault();
		if ( await isThere ) {
			document.querySelector( 'ai-chat-panel' )?.toggle();
		} else {
			complain( pressed );
		}
	};

	/** Goes on after a new login in another tab or in WordPress's dialog, with the nonce of this login. */
	wp.hooks.addAction( 'heartbeat.tick', 'backend-ai-chat', ( { aic_nonce: nonce } ) => {
		if ( nonce ) {
			script.dataset.sessionUrl = script.dataset.sessionUrl.replace( /\w+$/, nonce );
			void document.querySelector( 'ai-chat-panel, ai-chat-module' )?.resume();
		}
	} );

	document.querySelector( '#wp-admin-bar-backend-ai-chat > a' )?.addEventListener( 'click', toggle );

	/**
	 * The block editor covers the admin bar, so the chat adds its own button there; the editor may remove the button at
	 * any time.
	 */
	const button = document.createElement( 'button' );
	button.type = 'button';
	button.id = 'aic-editor-button';
	button.className = 'components-button has-icon';
	button.title = __( 'AI Chat', 'backend-ai-chat' );
	button.setAttribute( 'aria-label', button.title );
	const sign = document.createElement( 'span' );
	sign.className = 'dashicons dashicons-format-chat';
	button.append( sign );
	button.addEventListener( 'click', toggle );

	const boxes = ( selector ) => [ ...document.querySelectorAll( selector ) ].map( ( element ) => element.getBoundingClientRect() ).filter( ( { width, height } ) => width > 0 && height > 0 );

	/** Returns the pixels that bars cover at each edge of the window. */
	const inset = () => {
		const { innerWidth, innerHeight } = window;
		const menu = innerWidth > 782 ? boxes( '#adminmenuwrap' ) : [];
		const side = innerWidth > 960 ? boxes( sideSelector ) : [];
		const isRtl = document.documentElement.dir === 'rtl';
		const [ start, end ] = [ menu, side ].map( ( all ) => all.reduce( ( sum, { width } ) => sum + width, 0 ) );
		const top = Math.max( 0, ...boxes( barSelector ).map( ( { bottom } ) => bottom ) );
		const bottom = Math.max( 0, ...boxes( footSelector ).map( ( box ) => innerHeight - box.top ) );
		return [ top, isRtl ? start : end, bottom, isRtl ? end : start ].map( ( size ) => `${ Math.round( size ) }px` ).join( ' ' );
	};

	const keepClear = () => {
		const { style } = document.documentElement;
		const now = inset();
		if ( style.getPropertyValue( '--aic-inset' ) !== now ) {
			style.setProperty( '--aic-inset', now );
			// The panel measures its own size when the window changes.
			window.dispatchEvent( new Event( 'resize' ) );
		}
	};

	/** Shows on the settings page if the chat loads in this browser. */
	const said = document.querySelector( '#aic-browser' );
	if ( said ) {
		const blocked = said.textContent;
		said.textContent = __( 'The chat is being loaded.', 'backend-ai-chat' );
		void isThere.then( ( is ) => {
			said.textContent = is ? __( 'This browser loads the chat.', 'backend-ai-chat' ) : blocked;
		} );
	}

	let isDue = false;
	const look = () => {
		if ( isDue ) {
			return;
		}
		isDue = true;
		window.requestAnimationFrame( () => {
			isDue = false;
			const tools = document.querySelector( '.edit-post-header__settings, .editor-header__settings' );
			if ( tools && ! tools.contains( button ) ) {
				tools.prepend( button );
			}
			keepClear();
		} );
	};

	look();
	window.addEventListener( 'resize', look );
	const menu = document.querySelector( '#adminmenuwrap' );
	if ( menu ) {
		new ResizeObserver( look ).observe( menu );
	}
	const editor = document.querySelector( '#editor' );
	if ( editor ) {
		new MutationObserver( look ).observe( editor, { childList: true, subtree: true } );
	}
} )( window.wp );
