// Title, icon and browser notifications of a tab while calls wait for approval. Loaded when the first one waits, so that no page pays for it.

let waiting = 0
/** Address of the icon without a mark; null: not marked yet. */
let plainIcon: string | null = null

const PREFIX = /^\(\d+\) /

export function showWaiting(count: number): void {
  if (count > waiting && document.hidden) announce()
  if (waiting === 0 && count > 0) follow()
  waiting = count
  showTitle()
  void showIcon()
}

function showTitle(): void {
  const plain = document.title.replace(PREFIX, '')
  const title = waiting === 0 ? plain : `(${waiting}) ${plain}`
  if (title !== document.title) document.title = title
}

const titles = new MutationObserver(showTitle)

/** A page that is opened sets the title of its own. */
function follow(): void {
  titles.observe(document.head, { childList: true, subtree: true, characterData: true })
}

async function showIcon(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (link === null) return
  plainIcon ??= link.href
  const svg = await fetch(plainIcon).then((answer) => answer.text())
  const color = getComputedStyle(document.documentElement).getPropertyValue('--blocked-mark')
  const mark = `<circle cx="75%" cy="25%" r="25%" fill="${color.trim()}"/></svg>`
  const marked = `data:image/svg+xml,${encodeURIComponent(svg.replace(/<\/svg>\s*$/, mark))}`
  // Read after the wait: the last count decides.
  link.href = waiting === 0 ? plainIcon : marked
}

function announce(): void {
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  try {
    // One for all tabs and calls: the arguments stay behind the sign-in.
    const notification = new Notification('A call waits for approval', { tag: 'signalbox-calls' })
    notification.onclick = () => {
      window.focus()
      // Its address has the project and the environment of this tab.
      document.querySelector<HTMLAnchorElement>('nav a[href*="/call-approvals"]')?.click()
    }
  } catch (error) {
    // Browsers of phones only allow it to service workers; title and icon remain.
    if (!(error instanceof TypeError)) throw error
  }
}
