// The time zone is a cookie, so that server and browser render the same text.

const YEAR_SECONDS = 31_536_000

/** Between UTC and the browser's zone. */
export function flipZone(current: string): void {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  setZone(current === 'UTC' ? own : 'UTC')
}

export function setZone(zone: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `sb_zone=${encodeURIComponent(zone)}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
  window.location.reload()
}
