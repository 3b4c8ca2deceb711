'use client'
import { clsx } from 'clsx'
// Always with zone or unit. Times in evidence are absolute.
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react'

const ZoneContext = createContext('UTC')

type Clock = '24' | '12'
const ClockContext = createContext<Clock>('24')

/** Zone and clock come from cookies, so that server and browser render the same text. */
export function ZoneProvider({
  zone,
  clock = '24',
  children,
}: {
  readonly zone: string
  readonly clock?: Clock
  readonly children: ReactNode
}) {
  return (
    <ClockContext value={clock}>
      <ZoneContext value={zone}>{children}</ZoneContext>
    </ClockContext>
  )
}

export function useZone(): string {
  return useContext(ZoneContext)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatTimeParts(at: number, zone: string, clock: Clock): Readonly<Record<string, string>> {
  const known = `${clock} ${zone}`
  let format = formats.get(known)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      hourCycle: clock === '12' ? 'h12' : 'h23',
      timeZoneName: 'short',
    })
    formats.set(known, format)
  }
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}

export function clockText(at: number, zone: string, clock: Clock = '24'): string {
  const { hour, minute, second, fractionalSecond, dayPeriod } = formatTimeParts(at, zone, clock)
  const half = dayPeriod === undefined ? '' : ` ${dayPeriod}`
  return `${hour}:${minute}:${second}.${fractionalSecond}${half}`
}

function dateText(at: number, zone: string): string {
  const { year, month, day } = formatTimeParts(at, zone, '24')
  return `${year}-${month}-${day}`
}

export function dayText(at: number, zone: string): string {
  return `${dateText(at, zone)} ${zoneText(at, zone)}`
}

function zoneText(at: number, zone: string): string {
  return formatTimeParts(at, zone, '24')['timeZoneName'] ?? zone
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function monthDay(month: string | undefined, day: string | undefined): string {
  return `${MONTHS[Number(month) - 1]} ${Number(day)}`
}

function instantText(at: number, zone: string, clock: Clock): string {
  return `${dateText(at, zone)} ${clockText(at, zone, clock)} ${zoneText(at, zone)}`
}

/** `full`: date, milliseconds, zone. `clock`: for rows of one day. `second`: no milliseconds. `row`: no year, a long zone below. `time`: beside a date and zone. */
export function Timestamp({
  at,
  style = 'full',
}: {
  readonly at: number
  readonly style?: 'full' | 'clock' | 'second' | 'row' | 'time'
}) {
  const zone = useZone()
  const clock = useContext(ClockContext)
  const full = instantText(at, zone, clock)
  const second = full.replace(/\.\d{3}/, '')
  const { month, day } = formatTimeParts(at, zone, clock)
  const text = {
    full,
    second,
    clock: clockText(at, zone, clock),
    time: clockText(at, zone, clock).replace(/\.\d{3}/, ''),
    row: second.replace(/^[\d-]+/, monthDay(month, day)),
  }[style]
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={full}
      className={clsx('font-mono text-mono', style === 'row' ? 'leading-4' : 'whitespace-nowrap')}
    >
      {text}
    </time>
  )
}

/** At most two units: `38 ms`, `4.1 s`, `9 m 12 s`, `3 h 05 m`, `2 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.floor(ms / 1000)
  if (seconds < 60) return seconds < 10 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, '0')} m`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

const listeners = new Set<() => void>()
let clock: ReturnType<typeof setInterval> | undefined
let second = 0
let areStopped = false

/** While the server does not answer, no text may suggest that what it shows still runs. */
export function stopClocks(are: boolean): void {
  areStopped = are
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  second = Math.floor(Date.now() / 1000)
  clock ??= setInterval(() => {
    if (areStopped) return
    second = Math.floor(Date.now() / 1000)
    for (const notify of listeners) notify()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) {
      clearInterval(clock)
      clock = undefined
    }
  }
}

/** Epoch ms, updated every second while the server answers; null: rendering on the server. */
export function useNow(): number | null {
  const now = useSyncExternalStore(
    subscribe,
    () => second || Math.floor(Date.now() / 1000),
    () => 0,
  )
  return now === 0 ? null : now * 1000
}

export function Countdown({ until }: { readonly until: number }) {
  const now = useNow()
  if (now === null) return <Timestamp at={until} style="second" />
  const left = until - now
  return (
    <span className="whitespace-nowrap">
      {left > 0
        ? `${durationText(Math.max(1000, left))} left`
        : `overdue ${durationText(Math.max(1000, -left))}`}
    </span>
  )
}

/** Only where recency matters more than the instant. */
export function Ago({ at }: { readonly at: number }) {
  const now = useNow()
  const zone = useZone()
  const clock = useContext(ClockContext)
  if (now === null) return <Timestamp at={at} style="time" />
  const passed = Math.max(0, now - at)
  return (
    <time
      dateTime={new Date(at).toISOString()}
      title={instantText(at, zone, clock)}
      className="whitespace-nowrap"
    >
      {passed < 1000
        ? 'now'
        : `${durationText(passed)
            .replace(/\.\d s/, ' s')
            .split(' ')
            .slice(0, 2)
            .join(' ')} ago`}
    </time>
  )
}
