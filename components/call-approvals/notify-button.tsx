'use client'

import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button.tsx'

/** The browser asks only after a click. Shows nothing where the browser has no notifications. */
export function NotifyButton() {
  const [permission, setPermission] = useState<NotificationPermission | null>(null)
  useEffect(() => {
    if ('Notification' in window) setPermission(Notification.permission)
  }, [])
  if (permission === null) return null
  if (permission === 'default') {
    return (
      <Button onClick={() => void Notification.requestPermission().then(setPermission)}>
        Notify me in this browser
      </Button>
    )
  }
  return (
    <span role="status" className="text-small text-text-2">
      {permission === 'granted'
        ? 'This browser notifies you while the tab is hidden.'
        : 'Notifications are blocked in the settings of this browser.'}
    </span>
  )
}
