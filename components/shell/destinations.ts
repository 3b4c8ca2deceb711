// In order of use: one list for the rail, the palette and the shortcuts.
import {
  Ban,
  BellRing,
  ChartColumn,
  Gauge,
  Hand,
  type LucideIcon,
  MessageSquareText,
  OctagonPause,
  Radio,
  Rocket,
  Server,
  Settings,
  SlidersHorizontal,
} from 'lucide-react'

export interface Destination {
  readonly href: string
  readonly name: string
  readonly icon: LucideIcon
  /** Further words that find it in the palette. */
  readonly words?: string
  /** Second key of the `g` sequence. */
  readonly key: string
}

export const DESTINATIONS: readonly Destination[] = [
  { href: '/', name: 'Overview', icon: Gauge, key: 'o' },
  { href: '/sessions', name: 'Sessions', icon: Radio, key: 's' },
  { href: '/stops', name: 'Stops', icon: OctagonPause, key: 'b' },
  { href: '/call-approvals', name: 'Call approvals', icon: Hand, key: 'p', words: 'approve deny' },
  { href: '/configs', name: 'Configs', icon: SlidersHorizontal, key: 'c' },
  { href: '/releases', name: 'Rollouts', icon: Rocket, key: 'r' },
  { href: '/runtimes', name: 'Runtimes', icon: Server, key: 't' },
  { href: '/analytics', name: 'Analytics', icon: ChartColumn, key: 'a' },
  { href: '/alerts', name: 'Alerts', icon: BellRing, key: 'l' },
  { href: '/settings/keys', name: 'Settings', icon: Settings, key: ',' },
]

/** Lists without a place on the rail; charts and the palette lead to them. */
export const LISTS: readonly Omit<Destination, 'key'>[] = [
  { href: '/decisions', name: 'Denied calls', icon: Ban },
  { href: '/feedback', name: 'Feedback delivered', icon: MessageSquareText },
]

/** Settings has several pages. */
export function isCurrent(destination: Destination, path: string): boolean {
  if (destination.href === '/') return path === '/'
  // A staged rollout is below its config, but a rollout.
  if (path.endsWith('/staged-rollout')) return destination.href === '/releases'
  const root = `/${destination.href.split('/')[1] ?? ''}`
  return path === root || path.startsWith(`${root}/`)
}
