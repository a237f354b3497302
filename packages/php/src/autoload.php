<?php

declare(strict_types=1);

// Loads the classes of the kit for a CMS without Composer; Composer's own autoloader does the same.
spl_autoload_register(static function (string $class): void {
    $file = __DIR__ . '/' . substr($class, strlen('BackendAiChat\\')) . '.php';
    if (str_starts_with($class, 'BackendAiChat\\') && is_file($file)) {
        require $file;
    }
});
