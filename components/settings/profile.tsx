'use client'
// What is only about this person in this browser: theme, time zone, single-key shortcuts.
import { useTheme } from 'next-themes'
import { useSyncExternalStore } from 'react'
import { setZone } from '../shell/zone-cookie.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field } from '../ui/input.tsx'
import { Select } from '../ui/select.tsx'
import { useZone } from '../ui/time.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const THEMES = [
  { value: 'system', label: 'as the system' },
  { value: 'light', label: 'light' },
  { value: 'dark', label: 'dark' },
] as const

const nothing = () => () => undefined

export function Profile() {
  const { theme, setTheme } = useTheme()
  const zone = useZone()
  const mounted = useSyncExternalStore(
    nothing,
    () => true,
    () => false,
  )
  const own = mounted ? Intl.DateTimeFormat().resolvedOptions().timeZone : zone
  const zones = [...new Set(['UTC', own, zone])].map((name) => ({ value: name, label: name }))
  const shortcutsOn = mounted ? localStorage.getItem('sb_shortcuts') !== 'off' : true
  const chosen = THEMES.find(({ value }) => value === theme)?.value ?? 'system'
  return (
    <SettingsFrame>
      <Card>
        <CardHeader title="Profile" aside="kept in this browser" />
        <div className="flex max-w-sm flex-col gap-4 p-3">
          <Field label="Theme">
            {({ id }) => (
              <Select
                id={id}
                label="Theme"
                value={mounted ? chosen : 'system'}
                options={THEMES}
                onChange={setTheme}
              />
            )}
          </Field>
          <Field label="Time zone" hint="All instants in lists and evidence are shown in it.">
            {({ id }) => (
              <Select id={id} label="Time zone" value={zone} options={zones} onChange={setZone} />
            )}
          </Field>
          <Checkbox
            key={String(mounted)}
            defaultChecked={shortcutsOn}
            onChange={(event) => {
              localStorage.setItem('sb_shortcuts', event.currentTarget.checked ? 'on' : 'off')
              window.location.reload()
            }}
          >
            Single-key shortcuts
          </Checkbox>
        </div>
      </Card>
    </SettingsFrame>
  )
}
