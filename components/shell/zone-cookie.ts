// Time zone in a cookie, so that server and browser render the same text.
import { setCookie } from './set-cookie.ts'

export function flipZone(current: string): void {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  setZone(current === 'UTC' ? own : 'UTC')
}

export function setZone(zone: string): void {
  setCookie('sb_zone', zone)
  window.location.reload()
}
