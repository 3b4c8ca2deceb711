import { withPrefix } from '@/components/paths/prefix.ts'

const YEAR_SECONDS = 31_536_000

export function setCookie(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: some browsers lack the Cookie Store API
  document.cookie = `${name}=${encodeURIComponent(value)}; path=${withPrefix('/')}; max-age=${YEAR_SECONDS}; samesite=lax`
}
