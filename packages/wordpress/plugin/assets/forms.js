/**
 * Shows a change of the assistant in an open form without blocks, and in a list with Quick Edit. Fields that the person
 * has not edited get the new values; edited fields keep the person's text, and a notice lists them.
 */
( ( { i18n } ) => {
	const { __, sprintf } = i18n;
	const fieldName = 'aic_seen';
	/** The selectors of the texts beside the fields. WordPress draws these texts only once. */
	const drawn = [ '#post-status-display', '#post-visibility-display', '#timestamp', '#edit-slug-box', '#postimagediv .inside' ];
	const form = document.querySelector( 'form#post' );

	const isBox = ( { type } ) => type === 'checkbox' || type === 'radio';
	const valueOf = ( control ) => ( isBox( control ) ? String( control.checked ) : control.value );
	const editorOf = ( { id } ) => {
		const editor = id ? window.tinymce?.get( id ) : null;
		return editor && ! editor.isHidden() ? editor : null;
	};

	/**
	 * Returns the fields of a form by key. A key has the name, the value of a box, and the position among fields that
	 * are equal in both.
	 */
	const controlsIn = ( root ) => {
		const found = new Map();
		for ( const control of root.querySelectorAll( 'input[name], textarea[name], select[name]' ) ) {
			const [ name, own ] = [ control.name, isBox( control ) ? control.value : '' ];
			let key = JSON.stringify( [ name, own, 0 ] );
			for ( let at = 1; found.has( key ); at++ ) {
				key = JSON.stringify( [ name, own, at ] );
			}
			found.set( key, control );
		}
		return found;
	};

	/** The value of each field when the form was loaded, or at the last comparison. */
	const base = new Map( form ? [ ...controlsIn( form ) ].map( ( [ key, control ] ) => [ key, valueOf( control ) ] ) : [] );

	const isTouched = ( key, control ) => editorOf( control )?.isDirty() ?? valueOf( control ) !== base.get( key );

	const put = ( control, value ) => {
		if ( isBox( control ) ) {
			control.checked = value === 'true';
			return;
		}
		control.value = value;
		const editor = editorOf( control );
		editor?.load();
		editor?.setDirty( false );
		const tags = control.closest( '.tagsdiv' );
		if ( tags ) {
			window.tagBox?.quickClicks( tags );
		}
	};

	const nameOf = ( control ) => {
		const name = control.labels?.[ 0 ] ?? control.closest( '.postbox' )?.querySelector( 'h2' );
		return name?.textContent.trim() || ( control.id === 'content' ? __( 'Content', 'backend-ai-chat' ) : control.name );
	};

	const tell = ( words ) => {
		document.querySelector( '#aic-changed' )?.remove();
		const notice = document.createElement( 'div' );
		notice.id = 'aic-changed';
		notice.className = 'notice notice-warning';
		notice.setAttribute( 'role', 'status' );
		const text = document.createElement( 'p' );
		text.textContent = words;
		notice.append( text );
		document.querySelector( '.wp-header-end' )?.after( notice );
	};

	const stored = async () => {
		const answer = await fetch( window.location.href, { cache: 'no-store' } );
		return new DOMParser().parseFromString( await answer.text(), 'text/html' );
	};

	const refresh = async () => {
		const page = await stored();
		const fresh = page.querySelector( 'form#post' );
		if ( ! fresh ) {
			return;
		}
		const wasTouched = window.wp.autosave?.server.postChanged();
		const mine = controlsIn( form );
		const kept = [];
		for ( const [ key, control ] of controlsIn( fresh ) ) {
			const [ own, value ] = [ mine.get( key ), valueOf( control ) ];
			if ( ! own || value === base.get( key ) ) {
				continue;
			}
			if ( ! isTouched( key, own ) ) {
				put( own, value );
			} else if ( valueOf( own ) !== value ) {
				kept.push( nameOf( own ) );
			}
			base.set( key, value );
		}
		if ( wasTouched === false ) {
			const untouched = window.wp.autosave.getCompareString();
			// Without this, WordPress would warn on leaving about changes that the person has not made.
			window.wp.autosave.server.postChanged = () => window.wp.autosave.getCompareString() !== untouched;
		}
		for ( const selector of kept.length > 0 ? [] : drawn ) {
			const [ own, other ] = [ document, page ].map( ( root ) => root.querySelector( selector ) );
			own?.replaceChildren( ...( other ?? own ).childNodes );
		}
		tell(
			kept.length > 0
				? /* translators: %s: names of fields. */
				  sprintf( __( 'The assistant has changed what you are editing: %s. Saving keeps your words.', 'backend-ai-chat' ), kept.join( ', ' ) )
				: __( 'The assistant has changed this. You see the change here.', 'backend-ai-chat' )
		);
	};

	const refreshRows = async ( ids ) => {
		const rows = ids.map( ( id ) => document.querySelector( `#the-list > #post-${ id }` ) ).filter( Boolean );
		const page = rows.length > 0 ? await stored() : null;
		for ( const row of rows ) {
			const fresh = page.getElementById( row.id );
			if ( fresh && ! document.getElementById( row.id.replace( 'post-', 'edit-' ) ) ) {
				row.replaceWith( document.importNode( fresh, true ) );
			}
		}
	};

	const own = form?.elements[ fieldName ];
	document.addEventListener( 'ai-chat-changed', ( { detail } ) => {
		const ids = detail?.records?.filter( ( { table } ) => table !== 'comment' ).map( ( { uid } ) => Number( uid ) ) ?? [];
		if ( own ) {
			void ( ids.includes( Number.parseInt( own.value, 10 ) ) && refresh() );
		} else {
			void refreshRows( ids );
		}
	} );

	if ( own && window.jQuery ) {
		window
			.jQuery( document )
			.on( 'heartbeat-send', ( _event, data ) => {
				data[ fieldName ] = own.value;
			} )
			.on( 'heartbeat-tick', ( _event, data ) => void ( data.aic_changed && refresh() ) );
	}

	const { inlineEditPost } = window;
	if ( inlineEditPost ) {
		const { edit } = inlineEditPost;
		inlineEditPost.edit = function ( id ) {
			const result = edit.call( this, id );
			const uid = typeof id === 'object' ? this.getId( id ) : id;
			const field = document.createElement( 'input' );
			Object.assign( field, { type: 'hidden', name: fieldName, value: document.querySelector( `#inline_${ uid } .${ fieldName }` )?.textContent ?? '' } );
			document.querySelector( `#edit-${ uid } .inline-edit-save` )?.append( field );
			return result;
		};
	}
} )( window.wp );
