return {restart = {}}
