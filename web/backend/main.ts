import '../chat/main.ts'
import { BackendApp } from './app.ts'
import { BackendPage } from './content-page.ts'
import { BackendLog } from './log-page.ts'
import { BackendLogin } from './login-page.ts'
import { BackendRecord } from './record-form.ts'
import { BackendList } from './record-list.ts'
import { BackendRelogin } from './relogin.ts'
import { BackendShell } from './shell.ts'
import { restoreTheme } from './topbar.ts'
import { BackendTree } from './tree.ts'
import { BackendUsage } from './usage-page.ts'

restoreTheme()
customElements.define('backend-login', BackendLogin)
customElements.define('backend-relogin', BackendRelogin)
customElements.define('backend-tree', BackendTree)
customElements.define('backend-page', BackendPage)
customElements.define('backend-list', BackendList)
customElements.define('backend-record', BackendRecord)
customElements.define('backend-log', BackendLog)
customElements.define('backend-usage', BackendUsage)
customElements.define('backend-shell', BackendShell)
customElements.define('backend-app', BackendApp)
