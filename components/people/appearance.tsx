'use client'

import { useTheme } from 'next-themes'
import { useSyncExternalStore } from 'react'
import { type Preference, setPreference } from '@/components/shell/preferences.ts'
import { setZone } from '@/components/shell/zone-cookie.ts'
import { Card, CardHeader } from '@/components/ui/card.tsx'
import { Checkbox } from '@/components/ui/checkbox.tsx'
import { Field } from '@/components/ui/input.tsx'
import { Select } from '@/components/ui/select.tsx'
import { useZone } from '@/components/ui/time.tsx'

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const
const DENSITIES = [
  { value: 'compact', label: 'Compact' },
  { value: 'comfortable', label: 'Comfortable' },
] as const
const CLOCKS = [
  { value: '24', label: '24 hours' },
  { value: '12', label: '12-hour (AM/PM)' },
] as const

const nothing = () => () => undefined

/** False while the server renders and during hydration. */
function useIsMounted(): boolean {
  return useSyncExternalStore(
    nothing,
    () => true,
    () => false,
  )
}

/** `fallback` while the server renders. */
function usePreference<Value extends string>(name: Preference, fallback: Value): string {
  return useSyncExternalStore(
    nothing,
    () => document.documentElement.dataset[name] ?? fallback,
    () => fallback,
  )
}

/** UTC, the browser's own zone and the chosen one first, then all zones that the browser knows. */
function listZones(own: string, chosen: string): readonly string[] {
  return [...new Set(['UTC', own, chosen, ...Intl.supportedValuesOf('timeZone')])]
}

export function Appearance() {
  const { theme, setTheme } = useTheme()
  const zone = useZone()
  const isMounted = useIsMounted()
  const density = usePreference('density', 'compact')
  const clock = usePreference('clock', '24')
  const own = isMounted ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone
  const zones = isMounted ? listZones(own, zone) : [zone]
  return (
    <Card>
      <CardHeader title="Appearance" aside="kept in this browser" />
      <div className="grid max-w-3xl gap-4 p-3 sm:grid-cols-2">
        <Field label="Theme">
          {({ id }) => (
            <Select
              id={id}
              label="Theme"
              value={
                isMounted
                  ? (THEMES.find((one) => one.value === theme)?.value ?? 'system')
                  : 'system'
              }
              options={THEMES}
              onChange={setTheme}
            />
          )}
        </Field>
        <Field label="Density" hint="Height of rows and controls.">
          {({ id }) => (
            <Select
              id={id}
              label="Density"
              value={DENSITIES.find((one) => one.value === density)?.value ?? 'compact'}
              options={DENSITIES}
              onChange={(value) => setPreference('density', value)}
            />
          )}
        </Field>
        <Field label="Time zone" hint="Used for all times in lists and evidence.">
          {({ id }) => (
            <Select
              id={id}
              label="Time zone"
              value={zone}
              options={zones.map((name) => ({ value: name, label: name }))}
              onChange={setZone}
            />
          )}
        </Field>
        <Field label="Clock" hint="Event rows and exports always use 24 hours.">
          {({ id }) => (
            <Select
              id={id}
              label="Clock"
              value={CLOCKS.find((one) => one.value === clock)?.value ?? '24'}
              options={CLOCKS}
              onChange={(value) => setPreference('clock', value)}
            />
          )}
        </Field>
        <Switches isMounted={isMounted} />
      </div>
    </Card>
  )
}

function Switches({ isMounted }: { readonly isMounted: boolean }) {
  const motion = usePreference('motion', 'system')
  const marks = usePreference('marks', 'plain')
  const shortcutsOn = isMounted ? localStorage.getItem('sb_shortcuts') !== 'off' : true
  return (
    <fieldset className="flex flex-col gap-1 sm:col-span-2">
      <legend className="sr-only">Keys, motion, color</legend>
      <Checkbox
        key={`keys ${isMounted}`}
        defaultChecked={shortcutsOn}
        onChange={(event) => {
          localStorage.setItem('sb_shortcuts', event.currentTarget.checked ? 'on' : 'off')
          window.location.reload()
        }}
      >
        Single-key shortcuts
      </Checkbox>
      <Checkbox
        checked={motion === 'reduced'}
        onChange={() => setPreference('motion', motion === 'reduced' ? 'system' : 'reduced')}
      >
        Reduce motion, even if the system does not request it
      </Checkbox>
      <Checkbox
        checked={marks === 'letters'}
        onChange={() => setPreference('marks', marks === 'letters' ? 'plain' : 'letters')}
      >
        Distinguish without color: letters in the session’s strip (D denied, B blocked, W warning),
        hatching in charts
      </Checkbox>
    </fieldset>
  )
}
